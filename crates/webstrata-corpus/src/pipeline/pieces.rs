//! The pieces of pages, for retrieval.

use webstrata_archive::record::{ChunkPlace, PageRecord};

use crate::chunks::{Chunk, ChunkOptions, Headings, chunks};

/// The pieces of a page, as records of their own.
pub fn pieces(page: &PageRecord, headings: &Headings, options: ChunkOptions) -> Vec<PageRecord> {
    let of_page = page.clone().without_parts();
    let piece = |(number, chunk): (u32, Chunk<'_>)| {
        let mut piece = of_page.clone();
        piece.id = format!("{}:{number}", page.id);
        piece.record.metadata = page.record.metadata.clone();
        piece.set_text(chunk.text.to_owned());
        piece.chunk = Some(ChunkPlace {
            page: page.id.clone(),
            number,
            start: chunk.characters.start as u64,
            end: chunk.characters.end as u64,
            headings: chunk.headings.into_iter().map(str::to_owned).collect(),
        });
        piece
    };
    (0..).zip(chunks(&page.record.text, headings, options)).map(piece).collect()
}
