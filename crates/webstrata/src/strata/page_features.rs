//! What the type of a page and the confidence in its text are told from: sums over its blocks and
//! over what was found out about them.

use super::containers::TAGS;
use super::features;
use super::observations::Observations;

/// What the first forests found out about a page.
pub struct Found<'a> {
    /// The words of each block.
    pub words: &'a [f32],
    /// The probability that each is content.
    pub scores: &'a [f32],
    /// Whether each is kept.
    pub kept: &'a [bool],
    /// The measure that is expected of that.
    pub expected: f32,
}

/// The features that are taken from blocks as means, weighed by words.
const MEANS: [&str; 12] = [
    "digits",
    "currency",
    "question",
    "dates",
    "text-density",
    "ends-sentence",
    "heading",
    "hidden",
    "same-text",
    "title.of-block",
    "description.of-block",
    "best.inside",
];

/// The features of a page.
pub fn features(page: &Observations, found: &Found<'_>) -> Vec<f32> {
    let Some(places) = Places::get() else { return Vec::new() };
    let Found { words, scores, kept, expected } = *found;
    let blocks = page.len();
    let total: f32 = words.iter().sum::<f32>().max(1.0);
    let kept_words: f32 = words.iter().zip(kept).filter(|(_, kept)| **kept).map(|(w, _)| w).sum();
    let mut row = Vec::with_capacity(100);
    let rows = page.rows();
    let of_page = |place: usize| if blocks > 0 { rows.get(0, place) } else { 0.0 };
    row.extend(places.page.iter().map(|place| of_page(*place)));
    let of_kept: Vec<f32> =
        words.iter().zip(kept).map(|(words, kept)| if *kept { *words } else { 0.0 }).collect();
    let in_tags: [f32; TAGS.len()] = rows.sums(std::array::from_fn(|tag| places.tags + tag), words);
    let means = rows.sums(places.means, words);
    let kept_means = rows.sums(places.means, &of_kept);
    let [linked] = rows.sums([places.link_density], &of_kept);
    let (mut doubt, mut sum, mut sum_kept, mut runs) = (0.0, 0.0, 0.0, 0.0);
    let (mut h1, mut count) = (0.0, 0.0f32);
    for block in 0..blocks {
        let (score, weight) = (scores[block], words[block]);
        sum += weight * score;
        doubt += weight * score * (1.0 - score);
        h1 += f32::from(u8::from(rows.get(block, places.means[6]) == 1.0));
        if kept[block] {
            count += 1.0;
            sum_kept += weight * score;
            runs += f32::from(u8::from(block == 0 || !kept[block - 1]));
        }
    }
    row.extend(in_tags.iter().map(|sum| sum / total));
    row.extend(means.map(|sum| sum / total));
    row.extend(kept_means.map(|sum| sum / kept_words.max(1.0)));
    row.extend([
        expected,
        kept_words,
        kept_words / total,
        count,
        runs,
        linked / kept_words.max(1.0),
        kept_words / count.max(1.0),
        doubt / total,
        sum / total,
        sum_kept / kept_words.max(1.0),
        (sum - sum_kept) / (total - kept_words).max(1.0),
        of_page(places.best_share),
        h1,
        of_page(places.article_body),
    ]);
    row
}

/// Where the features stand that pages are summed up by.
struct Places {
    page: Vec<usize>,
    tags: usize,
    means: [usize; MEANS.len()],
    link_density: usize,
    best_share: usize,
    article_body: usize,
}

impl Places {
    fn get() -> Option<&'static Places> {
        static PLACES: std::sync::LazyLock<Option<Places>> = std::sync::LazyLock::new(Places::find);
        PLACES.as_ref()
    }

    fn find() -> Option<Places> {
        let names = features::names();
        let place = |name: &str| names.iter().position(|(_, known)| known == name);
        let is_page = |at: &usize| names[*at].0 == features::Group::Page;
        let mut means = [0; MEANS.len()];
        for (mean, name) in means.iter_mut().zip(MEANS) {
            *mean = place(name)?;
        }
        Some(Places {
            page: (0..names.len()).filter(is_page).collect(),
            tags: place(&format!("in.{}", TAGS[0].1))?,
            means,
            link_density: place("link-density")?,
            best_share: place("best.share")?,
            article_body: place("article-body.of-block")?,
        })
    }
}
