//! What `strata+site` makes of what is known of a page's site ([`Site`](crate::site::Site)).

use std::sync::LazyLock;

use super::bytes::{Reader, Writer};
use super::forest::Forest;
use super::rows::Rows;
use crate::document::Document;
use crate::error::{Error, ErrorKind};

/// What `strata+site` looks at, in the order of the columns. `above` and `below` are blocks away.
pub fn feature_names() -> Vec<String> {
    let own = [
        "score of strata, as log-odds",
        "pages with the text",
        "share of pages with the text",
        "logarithm of words",
        "is the title (2), or begins it (1)",
        "share of pages on which the place was content",
        "share of pages with the place",
        "pages with the place",
    ];
    let around = ["score of strata", "share of pages with the text", "place was content"];
    let mut names: Vec<String> = own.map(str::to_owned).into();
    for offset in AROUND {
        let side = if offset < 0 { "above" } else { "below" };
        names.extend(around.map(|name| format!("{name}, {} {side}", offset.abs())));
    }
    names
}

/// The neighbours that are looked at.
const AROUND: [isize; 4] = [-2, -1, 1, 2];
const OWN: usize = 8;
const WIDTH: usize = OWN + 3 * AROUND.len();
/// What neighbours of the first and the last block look like: a template.
const NOTHING: [f32; 3] = [-8.0, 1.0, 0.0];

/// A row of features for each block; `None` where nothing is known of the site.
pub fn rows(document: &Document) -> Option<Rows> {
    let site = document.site.as_deref()?;
    let pages = site.pages.max(1) as f32;
    let title = Title::of(document);
    let (mut own, mut around) = (Vec::new(), Vec::new());
    for block in &document.blocks {
        let sighting = site.sightings.get(block.first_atom()).copied().unwrap_or_default();
        let score = log_odds(block.score);
        let share = sighting.pages as f32 / pages;
        let place = sighting.place.max(1) as f32;
        let kept = sighting.kept as f32 / place;
        let words = (block.counts.words as f32).ln_1p();
        let titled = document.with_text(block, |text| title.compare(text));
        own.push([
            score,
            sighting.pages as f32,
            share,
            words,
            titled,
            kept,
            sighting.place as f32 / pages,
            sighting.place as f32,
        ]);
        around.push([score, share, kept]);
    }
    let mut rows = Rows::new(own.len(), WIDTH);
    for (block, own) in own.iter().enumerate() {
        rows.set(block, 0, own);
        for (index, offset) in AROUND.iter().enumerate() {
            let neighbour = block.checked_add_signed(*offset).and_then(|at| around.get(at));
            rows.set(block, OWN + 3 * index, neighbour.unwrap_or(&NOTHING));
        }
    }
    Some(rows)
}

/// Between -7 and 7: scores nearer to 0 and 1 are sure enough.
fn log_odds(score: f32) -> f32 {
    let score = score.clamp(0.001, 0.999);
    (score / (1.0 - score)).ln()
}

/// The letters and digits of a page's title, in lower case.
struct Title(Vec<char>);

/// Letters of a title that are compared, and the fewest that say something.
const TITLE_LETTERS: usize = 60;
const MIN_LETTERS: usize = 4;

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

impl Title {
    fn of(document: &Document) -> Title {
        let title = document.title.as_deref().unwrap_or_default();
        // One more tells that there is more.
        Title(letters(title).take(TITLE_LETTERS + 1).collect())
    }

    /// 2 for the title, 1 for a beginning of it.
    fn compare(&self, text: &str) -> f32 {
        let Title(title) = self;
        let mut matched = 0;
        for letter in letters(text).take(TITLE_LETTERS + 1) {
            if title.get(matched) != Some(&letter) {
                return if matched >= TITLE_LETTERS { 1.0 } else { 0.0 };
            }
            matched += 1;
        }
        match matched {
            0 => 0.0,
            _ if matched == title.len() => 2.0,
            _ if matched >= MIN_LETTERS => 1.0,
            _ => 0.0,
        }
    }
}

/// How model files begin, with the version of their format.
pub(super) const MAGIC: &[u8] = b"webstrata site model 1\n";

/// What `strata+site` learned: boosted trees over [`feature_names`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteModel {
    /// The log-odds that a block is content.
    pub forest: Forest,
}

static BUILTIN: LazyLock<SiteModel> = LazyLock::new(|| {
    SiteModel::from_bytes(include_bytes!("../models/site.model"))
        .expect("the built-in model is tested")
});

impl SiteModel {
    /// The model that comes with the library.
    pub fn builtin() -> &'static SiteModel {
        &BUILTIN
    }

    /// The probability of each row's block to be content.
    pub fn scores(&self, rows: &Rows) -> Vec<f32> {
        let odds = self.forest.scores(rows);
        odds.into_iter().map(|odds| 1.0 / (1.0 + (-odds).exp())).collect()
    }

    /// The model as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::default();
        to.bytes(MAGIC);
        to.u32(WIDTH as u32);
        self.forest.write(&mut to);
        to.finish()
    }

    /// Reads a model file.
    ///
    /// # Errors
    ///
    /// Where the bytes are none, or it was trained for other features than this version has.
    pub fn from_bytes(bytes: &[u8]) -> Result<SiteModel, Error> {
        let mut from = Reader::new(bytes);
        from.begins(MAGIC)?;
        let trained = from.u32()? as usize;
        if trained != WIDTH {
            let why = format!(
                "the model was trained for {trained} features, this version has {WIDTH}: train it again"
            );
            return Err(Error::new(why).of_kind(ErrorKind::ModelVersion));
        }
        let forest = Forest::read(&mut from, 1)?;
        from.ends()?;
        Ok(SiteModel { forest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::document;
    use crate::site::{Sighting, Site};

    #[test]
    fn titles() {
        let page = |title: &str| Document { title: Some(title.into()), ..Document::default() };
        let check = |title: &str, text: &str| Title::of(&page(title)).compare(text);
        assert_eq!(check("Tide tables", "Tide – Tables!"), 2.0);
        assert_eq!(check("Tide tables | Harbour", "Tide tables"), 1.0);
        assert_eq!(check("Tide tables", "Tide tables of 2026"), 0.0);
        assert_eq!(check("Tide tables", "Ti"), 0.0);
        assert_eq!(check("", ""), 0.0);
        assert_eq!(check("", "Tide"), 0.0);
        let long = "a".repeat(90);
        // As far as they are compared.
        assert_eq!(check(&long, &"a".repeat(70)), 2.0);
        assert_eq!(check(&long, &("a".repeat(60) + "b")), 1.0);
    }

    #[test]
    fn rows_look_around() {
        let mut page = document(&[("One two", 0, true), ("Three", 0, true), ("Four", 0, false)]);
        assert!(rows(&page).is_none());
        page.blocks[0].score = 0.5;
        let sightings = vec![
            Sighting { pages: 2, repeated: 1, place: 4, kept: 3 },
            Sighting { pages: 8, repeated: 8, place: 8, kept: 0 },
        ];
        page.site = Some(Box::new(Site { pages: 8, below: 8, most: 1, sightings }));
        let rows = rows(&page).unwrap();
        assert_eq!((rows.len(), rows.width()), (3, feature_names().len()));
        let row = |block: usize| -> Vec<f32> { (0..WIDTH).map(|at| rows.get(block, at)).collect() };
        assert_eq!(row(0)[..3], [0.0, 2.0, 0.25]);
        assert_eq!(row(0)[4..8], [0.0, 0.75, 0.5, 4.0]);
        assert_eq!(row(0)[8..11], NOTHING);
        assert_eq!(row(0)[15..17], [1.0, 0.0]);
        assert_eq!(row(1)[11..14], [0.0, 0.25, 0.75]);
        // Of the last block nothing is known.
        assert_eq!(row(2)[1..3], [0.0, 0.0]);
    }

    #[test]
    fn models_come_back() {
        let model = SiteModel::builtin();
        assert_eq!(&SiteModel::from_bytes(&model.to_bytes()).unwrap(), model);
        for bytes in [&b"webstrata site"[..], b"webstrata site model 1\n\x01\0\0\0", b""] {
            assert!(SiteModel::from_bytes(bytes).is_err());
        }
        let mut longer = model.to_bytes();
        longer.push(0);
        assert_eq!(
            SiteModel::from_bytes(&longer).unwrap_err().to_string(),
            "the model is damaged, it goes on behind its end: copy or train it again"
        );
    }
}
