//! Verdicts by what the other pages of a site say.

use std::sync::Arc;

use super::filter;
use crate::class::Class;
use crate::document::Document;
use crate::strata::site_model::{SiteModel, rows};

filter! {
    /// Drops content blocks whose text stands on more pages of the site than content does: the verdict
    /// of the URL Tree (Sluban and Grčar 2013, section 4). Where nothing is known of the site
    /// (`Document::site`), it leaves all as it is.
    pub struct DropRepeated: "drop-repeated", Drop, asks(site);
}

impl DropRepeated {
    fn change(&self, document: &mut Document) {
        let Some(site) = document.site.take() else { return };
        for block in &mut document.blocks {
            let repeated = block.atoms().all(|atom| site.is_repeated(atom));
            block.is_content &= !repeated;
        }
        document.site = Some(site);
    }
}

filter! {
    /// Looks again at the verdict of `keep-likely`, given how many pages of the site have the text of a
    /// block and of its neighbours, and how often the places where they stand held content on those
    /// pages; by a model trained on streams of pages. What it keeps has no title,
    /// byline or date: these are the record's own fields. Where nothing is known of the site, it leaves
    /// all as it is.
    pub struct KeepLikelyOnSite: "keep-likely-on-site", Keep, asks(site, recall) {
        /// The weight of recall: above 1 doubtful blocks are rather kept, below 1 rather dropped.
        pub recall: f64 = 1.0,
        /// A model that was loaded; the built-in one where `None`. TOML cannot hold it.
        #[serde(skip)]
        pub(crate) model: Option<Arc<SiteModel>> = None,
    }
}

impl KeepLikelyOnSite {
    fn change(&self, document: &mut Document) {
        let Some(rows) = rows(document) else { return };
        let line = (1.0 / (1.0 + self.recall * self.recall)) as f32;
        let model = self.model.as_deref().unwrap_or_else(|| SiteModel::builtin());
        let scores = model.scores(&rows);
        for (block, score) in document.blocks.iter_mut().zip(scores) {
            let atom = &document.atoms[block.first_atom()];
            block.score = score;
            block.is_content = score >= line && super::likely::can_be_read(atom, document.hidden);
            let was_kept =
                !matches!(block.class, Some(Class::Boilerplate | Class::Related | Class::Comments));
            if was_kept != block.is_content {
                block.class =
                    Some(if block.is_content { Class::Content } else { Class::Boilerplate });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::{check_content, document, words};
    use crate::site::{Sighting, Site};

    fn seen(pages: u32, sightings: &[(u32, u32)]) -> Option<Box<Site>> {
        let sighting = |(pages, kept): &(u32, u32)| Sighting {
            repeated: *pages,
            pages: *pages,
            place: 20,
            kept: *kept,
        };
        let sightings = sightings.iter().map(sighting).collect();
        Some(Box::new(Site { pages, below: pages, most: 1, sightings }))
    }

    #[test]
    fn repeated_texts_are_dropped() {
        let mut page = document(&[("Share", 0, true), ("Tide", 0, true), ("Harbour", 0, false)]);
        check_content(DropRepeated, page.clone(), "CC-");
        page.site = seen(20, &[(2, 0), (1, 0), (1, 0)]);
        check_content(DropRepeated, page, "-C-");
    }

    #[test]
    fn places_that_hold_content_are_kept() {
        let text = words(30);
        // A menu, three paragraphs of which a look at the page alone drops one, a notice, a footer.
        let blocks = [
            ("Home", true),
            ("News", true),
            ("Imprint", true),
            (&text, true),
            (&text, false),
            (&text, true),
            ("Subscribe to our letters", true),
            ("Contact", true),
            ("Jobs", true),
        ];
        let mut page = document(&blocks.map(|(text, kept)| (text, 0, kept)));
        check_content(KeepLikelyOnSite::default(), page.clone(), "CCCC-CCCC");
        let (template, own) = ((20, 1), (1, 20));
        page.site =
            seen(20, &[template, template, template, own, own, own, template, template, template]);
        for (block, score) in
            page.blocks.iter_mut().zip([0.1, 0.1, 0.1, 0.9, 0.4, 0.9, 0.6, 0.1, 0.1])
        {
            block.score = score;
        }
        check_content(KeepLikelyOnSite::default(), page, "---CCC---");
    }
}
