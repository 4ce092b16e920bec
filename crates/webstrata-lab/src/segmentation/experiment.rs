//! Table 4.1 and Figures 4.4 to 4.8: the methods against what people take for segments.

use std::ops::Range;

use rayon::prelude::*;
use webstrata::Options;
use webstrata_base::Progress;

use webstrata_corpus::segmentation::measures::{
    adjusted_rand, labels, normalized_mutual_information,
};
use webstrata_corpus::segmentation::{AtomicPage, Method, Segment, Segmenter, WIDTH};

mod report;
mod zipf;

/// Table 4.1: adjusted Rand index, normalised mutual information and segments a page.
pub const TABLE_4_1: [(Method, [f64; 3]); 6] = [
    (Method::WordWrap, [0.25, 0.59, 25.0]),
    (Method::TagGap, [0.43, 0.65, 69.43]),
    (Method::Plain, [0.60, 0.75, 27.72]),
    (Method::Smoothed, [0.62, 0.76, 19.77]),
    (Method::RuleBased, [0.79, 0.87, 21.24]),
    (Method::JustRules, [0.78, 0.84, 17.64]),
];

/// Table 4.2: C and b of Zipf's law y = C x^-b, its χ² and its error (RMSE), of 111 pages of Webspam UK-2007. The row of
/// JUSTRULES is what the text of 4.2.3 gives for the segments that people made.
const TABLE_4_2: [(Method, [f64; 4]); 4] = [
    (Method::Plain, [1.04024, 0.74899, 98.15, 0.00438]),
    (Method::Smoothed, [1.03643, 0.73334, 87.38, 0.00538]),
    (Method::RuleBased, [1.47937, 0.67028, 649.36, 0.02096]),
    (Method::JustRules, [1.08526, 0.70280, 256.56, 0.01372]),
];

/// The pages that people have cut for the thesis.
const CUT_BY_HAND: usize = 111;

/// The methods that are tried with many parameters.
const FUSIONS: [Method; 3] = [Method::Plain, Method::Smoothed, Method::RuleBased];
/// Go through the blocks so often at most, for Figure 4.8.
const ITERATIONS: usize = 8;

/// The methods of Table 4.1, the worst first.
const ORDER: [Method; 6] = [
    Method::WordWrap,
    Method::TagGap,
    Method::Plain,
    Method::Smoothed,
    Method::JustRules,
    Method::RuleBased,
];

/// A page with what people take for its segments.
pub struct GoldPage {
    /// The page's bytes, read anew for each width.
    pub bytes: Vec<u8>,
    /// How it is read.
    pub options: Options,
    /// The page at the thesis' width.
    pub page: AtomicPage,
    /// Its segments, each kind of gold by itself.
    pub gold: Vec<Vec<Segment>>,
}

/// How well a page or many were cut.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Adjusted Rand index.
    pub rand: f64,
    /// Normalised mutual information.
    pub information: f64,
    /// Segments.
    pub segments: f64,
}

/// The segmenters that are compared, by table and figure.
#[derive(Clone, Debug)]
struct Plan {
    segmenters: Vec<Segmenter>,
    /// Table 4.1: each method once.
    methods: Range<usize>,
    /// Figures 4.4, 4.5: thresholds; 4.7: widths; 4.8: iterations.
    thresholds: Range<usize>,
    widths: Range<usize>,
    iterations: Range<usize>,
}

impl Plan {
    fn new() -> Plan {
        let mut segmenters: Vec<Segmenter> = Vec::new();
        let mut part = |more: Vec<Segmenter>| {
            let start = segmenters.len();
            segmenters.extend(more);
            start..segmenters.len()
        };
        let each = |change: &dyn Fn(Segmenter) -> Vec<Segmenter>| {
            FUSIONS.iter().flat_map(|method| change(Segmenter::new(*method))).collect()
        };
        let methods = part(Method::ALL.map(|(method, _)| Segmenter::new(method)).to_vec());
        let thresholds = part(each(&|segmenter| {
            let mut thresholds: Vec<u32> = (0..=100).step_by(5).chain([38]).collect();
            thresholds.sort_unstable();
            let at =
                |percent: u32| Segmenter { threshold: f64::from(percent) / 100.0, ..segmenter };
            thresholds.into_iter().map(at).collect()
        }));
        let widths = part(each(&|segmenter| {
            let widths = (20..=140).step_by(10);
            widths.map(|width| Segmenter { width, ..segmenter }).collect()
        }));
        let iterations = part(each(&|segmenter| {
            let at = |most: usize| Segmenter { iterations: Some(most), ..segmenter };
            (0..=ITERATIONS).map(at).collect()
        }));
        Plan { segmenters, methods, thresholds, widths, iterations }
    }
}

/// What was measured on one page with one kind of gold.
struct Measured {
    /// For each segmenter of the plan; `None` where the page read at its width has other tokens than
    /// the gold.
    scores: Vec<Option<Score>>,
    /// Tokens of each segment, of each method of Table 4.1 and of the gold.
    sizes: Vec<Vec<u32>>,
}

/// What was measured on a set with one kind of gold.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was measured on: the set and its gold, for people.
    pub name: String,
    /// How many pages.
    pub pages: usize,
    /// Segments of the gold, in the mean of the pages.
    pub gold_segments: f64,
    plan: Plan,
    scores: Vec<Score>,
    sizes: Vec<Vec<u32>>,
    /// The same of as many pages as Table 4.2 is of.
    sizes_of_few: Vec<Vec<u32>>,
    steps: Vec<Step>,
}

/// What a method gains over the one that the thesis found next worse.
#[derive(Clone, Copy, Debug)]
struct Step {
    from: Method,
    to: Method,
    rand: Gain,
    information: Gain,
}

/// The mean of the pages' differences, and how far it may be off by chance (95 %).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Gain {
    mean: f64,
    error: f64,
}

impl Gain {
    fn of(differences: &[f64]) -> Gain {
        let count = differences.len().max(1) as f64;
        let mean = differences.iter().sum::<f64>() / count;
        let squares: f64 = differences.iter().map(|one| (one - mean).powi(2)).sum();
        let variance = squares / (count - 1.0).max(1.0);
        Gain { mean, error: 1.96 * (variance / count).sqrt() }
    }
}

impl Outcome {
    /// The methods of Table 4.1 and footnote 6 with their scores, in the mean of all pages.
    pub fn methods(&self) -> impl Iterator<Item = (Method, Score)> + '_ {
        self.part(&self.plan.methods).map(|(segmenter, score)| (segmenter.method, score))
    }

    /// Is another one of the same kind of gold, of another set? The kind is what its name ends with.
    pub fn has_gold_of(&self, other: &Outcome) -> bool {
        let kind = |outcome: &'_ Outcome| -> Option<String> {
            Some(outcome.name.rsplit_once(", ")?.1.to_owned())
        };
        self.name != other.name && kind(self).is_some() && kind(self) == kind(other)
    }

    fn part(&self, range: &Range<usize>) -> impl Iterator<Item = (Segmenter, Score)> + '_ {
        let segmenters = self.plan.segmenters[range.clone()].iter().copied();
        segmenters.zip(self.scores[range.clone()].iter().copied())
    }
}

/// Measures all methods on pages, many at once. `read` gives a page with its gold, or nothing where it
/// cannot; `golds` names the kinds of gold. Pages with fewer than two tokens have nothing to tell apart
/// and are left out. Outcomes without any page are, too.
pub fn run<E: Sync>(
    pages: &[E],
    golds: &[String],
    read: impl Fn(&E) -> Option<GoldPage> + Sync,
    progress: &dyn Progress,
) -> Vec<Outcome> {
    let plan = Plan::new();
    let one = |entry: &E| {
        let measured = read(entry).map(|page| measure(&plan, &page)).unwrap_or_default();
        progress.step();
        measured
    };
    let all: Vec<Vec<Measured>> = pages.par_iter().map(one).collect();
    let mut outcomes = Vec::new();
    for (index, name) in golds.iter().enumerate() {
        let measured: Vec<&Measured> = all.iter().filter_map(|page| page.get(index)).collect();
        if !measured.is_empty() {
            outcomes.push(outcome(&plan, name, &measured));
        }
    }
    outcomes
}

/// The page measured against each kind of gold.
fn measure(plan: &Plan, gold_page: &GoldPage) -> Vec<Measured> {
    let GoldPage { bytes, options, page, gold } = gold_page;
    let golds: Vec<Vec<u32>> = gold.iter().map(|gold| labels(page, gold)).collect();
    if golds.iter().any(|labels| labels.len() < 2) {
        return Vec::new();
    }
    let sizes = |segments: &[Segment]| segments.iter().map(|segment| segment.tokens).collect();
    let mut measured: Vec<Measured> =
        gold.iter().map(|_| Measured { scores: Vec::new(), sizes: Vec::new() }).collect();
    let mut other: Option<AtomicPage> = None;
    for (index, segmenter) in plan.segmenters.iter().enumerate() {
        let page: &AtomicPage = if segmenter.width == WIDTH {
            page
        } else {
            let is_read = other.as_ref().is_some_and(|page| page.width == segmenter.width);
            let again = other.take().filter(|_| is_read);
            other.insert(again.unwrap_or_else(|| AtomicPage::read(bytes, options, segmenter.width)))
        };
        let segments = segmenter.segment(page);
        let found = labels(page, &segments);
        for (gold, measured) in golds.iter().zip(&mut measured) {
            // A page that was cut short elsewhere has other tokens, which nothing can be said about.
            let is_comparable = found.len() == gold.len();
            measured.scores.push(is_comparable.then(|| Score {
                rand: adjusted_rand(&found, gold),
                information: normalized_mutual_information(&found, gold),
                segments: segments.len() as f64,
            }));
            if plan.methods.contains(&index) {
                measured.sizes.push(sizes(&segments));
            }
        }
    }
    for (gold, measured) in gold.iter().zip(&mut measured) {
        measured.sizes.push(sizes(gold));
    }
    measured
}

/// The methods of the thesis' order, each against the one before it, page by page.
fn steps(plan: &Plan, measured: &[&Measured]) -> Vec<Step> {
    let at = |method: Method| {
        let mut methods = plan.segmenters[plan.methods.clone()].iter();
        methods.position(|segmenter| segmenter.method == method).unwrap_or_default()
    };
    let step = |pair: &[Method]| {
        let (from, to) = (at(pair[0]), at(pair[1]));
        let gain = |of: fn(&Score) -> f64| {
            let difference = |page: &&Measured| {
                Some(of(page.scores[to].as_ref()?) - of(page.scores[from].as_ref()?))
            };
            Gain::of(&measured.iter().filter_map(difference).collect::<Vec<_>>())
        };
        let (rand, information) = (gain(|score| score.rand), gain(|score| score.information));
        Step { from: pair[0], to: pair[1], rand, information }
    };
    ORDER.windows(2).map(step).collect()
}

fn mean_score(scores: impl Iterator<Item = Score>) -> Score {
    let (mut sum, mut pages) = (Score::default(), 0u32);
    for score in scores {
        sum.rand += score.rand;
        sum.information += score.information;
        sum.segments += score.segments;
        pages += 1;
    }
    let mean = |sum: f64| sum / f64::from(pages.max(1));
    let Score { rand, information, segments } = sum;
    Score { rand: mean(rand), information: mean(information), segments: mean(segments) }
}

fn outcome(plan: &Plan, name: &str, measured: &[&Measured]) -> Outcome {
    let scores = (0..plan.segmenters.len())
        .map(|at| mean_score(measured.iter().filter_map(|page| page.scores[at])));
    let gold = plan.methods.len();
    let gold_segments: usize = measured.iter().map(|page| page.sizes[gold].len()).sum();
    let sizes = |pages: &[&Measured]| -> Vec<Vec<u32>> {
        let of_method = |at: usize| {
            let mut sizes: Vec<u32> =
                pages.iter().flat_map(|page| page.sizes[at].iter().copied()).collect();
            sizes.sort_unstable();
            sizes
        };
        (0..=gold).map(of_method).collect()
    };
    // From everywhere in the set: neighbours are of one site.
    let few: Vec<&Measured> = (0..CUT_BY_HAND.min(measured.len()))
        .map(|at| measured[at * measured.len() / CUT_BY_HAND.min(measured.len())])
        .collect();
    Outcome {
        name: name.to_owned(),
        pages: measured.len(),
        gold_segments: gold_segments as f64 / measured.len().max(1) as f64,
        plan: plan.clone(),
        scores: scores.collect(),
        sizes: sizes(measured),
        sizes_of_few: sizes(&few),
        steps: steps(plan, measured),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains() {
        assert_eq!(Gain::of(&[0.1]), Gain { mean: 0.1, error: 0.0 });
        assert_eq!(Gain::of(&[]), Gain { mean: 0.0, error: 0.0 });
        let Gain { mean, error } = Gain::of(&[0.0, 1.0]);
        assert!((mean - 0.5).abs() < 1e-12 && (error - 1.96 * 0.5).abs() < 1e-12, "{error}");
    }

    #[test]
    fn a_page_that_reads_differently_the_next_time() {
        let read = |html: &&str| {
            let options = Options::default();
            let page = AtomicPage::read(html.as_bytes(), &options, WIDTH);
            let gold = vec![Segmenter::new(Method::TagGap).segment(&page)];
            // As if the first reading, of which the gold is, had been cut short.
            let bytes = format!("{html}<p>More of it").into_bytes();
            Some(GoldPage { bytes, options, page, gold })
        };
        let outcomes = run(&["<p>High water<p>is at noon"], &["gaps".to_owned()], read, &());
        let [outcome] = outcomes.as_slice() else { panic!("{}", outcomes.len()) };
        let widths = outcome.part(&outcome.plan.widths);
        let other = widths.filter(|(segmenter, _)| segmenter.width != WIDTH);
        assert!(other.map(|(_, score)| score).all(|score| score == Score::default()));
        let gap = outcome.methods().find(|(method, _)| *method == Method::TagGap).unwrap().1;
        assert!((gap.rand - 1.0).abs() < 1e-12, "{gap:?}");
    }

    #[test]
    fn a_method_agrees_with_itself() {
        let html = "<ul><li>Home<li>Tides</ul><p>High water is at noon today, they say.<p>Imprint";
        let read = |html: &&str| {
            let options = Options::default();
            let page = AtomicPage::read(html.as_bytes(), &options, WIDTH);
            let gold = vec![Segmenter::new(Method::Plain).segment(&page)];
            Some(GoldPage { bytes: html.as_bytes().to_vec(), options, page, gold })
        };
        // The second page has nothing to tell apart.
        let outcomes = run(&[html, "<p>Tides"], &["plain".to_owned()], read, &());
        let [outcome] = outcomes.as_slice() else { panic!("{}", outcomes.len()) };
        assert_eq!((outcome.pages, outcome.gold_segments), (1, 3.0));
        let plain = outcome.methods().find(|(method, _)| *method == Method::Plain).unwrap().1;
        let is_one = |value: f64| (value - 1.0).abs() < 1e-12;
        assert!(
            is_one(plain.rand) && is_one(plain.information) && plain.segments == 3.0,
            "{plain:?}"
        );
        let gap = outcome.methods().find(|(method, _)| *method == Method::TagGap).unwrap().1;
        assert!(gap.rand < 1.0 && gap.segments == 4.0, "{gap:?}");
    }
}
