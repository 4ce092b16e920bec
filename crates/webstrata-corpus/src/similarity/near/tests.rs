use std::collections::HashSet;

use proptest::prelude::*;
use webstrata_base::Random;

use super::*;

/// The oracle: sets of runs of words, as the definition has them.
fn runs(text: &str, size: usize) -> HashSet<Vec<String>> {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    words.windows(size.min(words.len()).max(1)).map(<[String]>::to_vec).collect()
}

fn exact(a: &str, b: &str, size: usize) -> f64 {
    let (a, b) = (runs(a, size), runs(b, size));
    a.intersection(&b).count() as f64 / a.union(&b).count() as f64
}

/// A text, and another one in which some words are others.
fn pair(words: usize, changed: usize, random: &mut Random) -> [String; 2] {
    let mut text: Vec<String> = (0..words).map(|_| format!("w{}", random.below(5000))).collect();
    let first = text.join(" ");
    for _ in 0..changed {
        let at = random.below(words);
        text[at] = format!("x{}", random.below(5000));
    }
    [first, text.join(" ")]
}

proptest! {
    #[test]
    fn the_similarity_is_the_coefficient(
        words in 1..200usize, changed in 0..40usize, size in 1..9usize, seed: u64,
    ) {
        let options = NearOptions::new(size, 2, 2, 0.5).unwrap();
        let [a, b] = pair(words, changed, &mut Random::new(seed));
        let sketch = NearSketch::new(options);
        let found = sketch.text(&a).unwrap().similarity(&sketch.text(&b).unwrap());
        prop_assert!((found - exact(&a, &b, size)).abs() < 1e-12);
    }
}

/// Of thousands of random pairs, those are found that share a band and are similar enough: none below the
/// threshold, and above it as many as the S-curve says.
#[test]
fn pairs_are_found_as_often_as_the_curve_says() {
    for (bands, rows, threshold, seed) in
        [(14, 8, 0.7, 1), (14, 8, 0.8, 2), (20, 5, 0.5, 3), (9, 13, 0.8, 4)]
    {
        let options = NearOptions::new(5, bands, rows, threshold).unwrap();
        let mut random = Random::new(seed);
        let (mut found, mut expected, mut variance, mut above) = (0.0, 0.0, 0.0, 0);
        for number in 0..1200u64 {
            let changed = random.below(16);
            let [a, b] = pair(150, changed, &mut random);
            let truth = exact(&a, &b, 5);
            // Other orders for each pair: the curve is the mean over all of them.
            let sketch = NearSketch::seeded(options, 1000 * seed + number);
            let mut index = NearIndex::new(options, 1 << 24).unwrap();
            index.add("a", &sketch.text(&a).unwrap()).unwrap();
            let is_found = match index.add("b", &sketch.text(&b).unwrap()).unwrap() {
                Decision::Duplicate { of, similarity } => {
                    assert_eq!(of, "a");
                    assert!((similarity - truth).abs() < 1e-12 && truth >= threshold, "{truth}");
                    true
                }
                Decision::Kept => false,
            };
            let chance = options.found(truth);
            above += u32::from(truth >= threshold);
            found += f64::from(u8::from(is_found));
            expected += chance;
            variance += chance * (1.0 - chance);
        }
        assert!(above > 200, "{above} pairs say little");
        let error = f64::abs(found - expected) / variance.sqrt();
        assert!(error < 4.0, "{bands} × {rows}: found {found} of {above}, expected {expected:.1}");
    }
}

/// Bands of other content that come to lie in the same chain lead to nobody: else decisions would depend on how long
/// the table is, and on what else is in it.
#[test]
fn only_a_shared_band_makes_a_candidate() {
    let options = NearOptions::new(5, 14, 8, 0.6).unwrap();
    let mut random = Random::new(4);
    let mut apart = 0;
    for seed in 0..600 {
        let [a, b] = pair(150, 6, &mut random);
        let sketch = NearSketch::seeded(options, seed);
        let [a, b] = [a, b].map(|text| sketch.text(&text).unwrap());
        let bands = a.print.hashes().chunks(8).zip(b.print.hashes().chunks(8));
        let is_shared = bands.into_iter().any(|(a, b)| a == b);
        let mut index = NearIndex::new(options, 1 << 24).unwrap();
        index.keep("a", &a).unwrap();
        let found = index.find(&b).unwrap().is_some();
        assert_eq!(found, is_shared && a.similarity(&b) >= 0.6, "seed {seed}");
        apart += u32::from(!is_shared && a.similarity(&b) >= 0.6);
    }
    assert!(apart > 100, "{apart} pairs say little");
}

/// What comparing each text with all kept ones would decide, where a band is shared.
#[test]
fn the_index_decides_as_brute_force_does() {
    let options = NearOptions::new(3, 10, 2, 0.4).unwrap();
    let sketch = NearSketch::new(options);
    let mut random = Random::new(9);
    let mut index = NearIndex::new(options, 1 << 26).unwrap();
    let mut kept: Vec<(String, NearText)> = Vec::new();
    let mut duplicates = 0;
    let shares_band = |a: &NearText, b: &NearText| {
        let bands = a.print.hashes().chunks(2).zip(b.print.hashes().chunks(2));
        bands.into_iter().any(|(a, b)| a == b)
    };
    for number in 0..1500 {
        let sentence =
            |number: usize| (0..9).map(|word| format!("s{number}x{word} ")).collect::<String>();
        let text: String = (0..4).map(|_| sentence(random.below(60))).collect();
        let text = sketch.text(&text).unwrap();
        let best = kept
            .iter()
            .rev()
            .filter(|(_, other)| shares_band(other, &text))
            .map(|(name, other)| (name.as_str(), other.similarity(&text)))
            .filter(|(_, similarity)| *similarity >= 0.4)
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let name = format!("page {number}");
        match (index.add(&name, &text).unwrap(), best) {
            (Decision::Kept, None) => kept.push((name, text)),
            (Decision::Duplicate { of, similarity }, Some(best)) => {
                assert_eq!((of, similarity), best);
                duplicates += 1;
            }
            (decision, best) => panic!("{name}: {decision:?}, not {best:?}"),
        }
    }
    assert!(duplicates > 300 && kept.len() > 300, "{duplicates} of {}", kept.len());
    assert_eq!(index.tally().kept, kept.len() as u64);
}

#[test]
fn memory_is_bounded_and_the_latest_are_remembered() {
    let options = NearOptions::default();
    let sketch = NearSketch::new(options);
    let text = |page: usize| {
        sketch.text(&(0..20).map(|word| format!("{page}x{word} ")).collect::<String>()).unwrap()
    };
    let memory = 3 << 20;
    let mut index = NearIndex::new(options, memory).unwrap();
    for page in 0..9000 {
        assert_eq!(index.add(&format!("page {page}"), &text(page)).unwrap(), Decision::Kept);
    }
    assert!(index.bytes() < memory + (64 << 10), "{}", index.bytes());
    let Tally { kept, forgotten, .. } = index.tally();
    assert!(kept == 9000 && forgotten > 3000 && forgotten < 8000, "{forgotten}");
    assert_eq!(index.places.len(), index.index.len());
    let again = index.add("again", &text(8999)).unwrap();
    assert_eq!(again, Decision::Duplicate { of: "page 8999", similarity: 1.0 });
    assert_eq!(index.add("again", &text(0)).unwrap(), Decision::Kept);
}

/// Words of scripts without spaces are found by the dictionary, so that one changed word changes five runs.
#[test]
fn scripts_without_spaces() {
    let sketch = NearSketch::new(NearOptions::default());
    let text =
        "今日は潮が満ちるのが遅いので、フェリーは一時間遅れて港を出ます。明日は晴れるでしょう。";
    let print = sketch.text(text).unwrap();
    let mut words = 0;
    for_each_word(text, |_| words += 1);
    assert_eq!(print.words(), words);
    assert!(words < text.chars().count() as u32);
    assert_eq!(sketch.text(&text.replace('。', " ")).unwrap().similarity(&print), 1.0);
}

#[test]
fn texts_without_words_and_options_without_sense() {
    let sketch = NearSketch::new(NearOptions::default());
    assert_eq!(sketch.text(" – "), None);
    assert_eq!(
        sketch.text("High water").unwrap().similarity(&sketch.text("high, WATER!").unwrap()),
        1.0
    );
    for (shingle, bands, rows, threshold, wanted) in [
        (0, 14, 8, 0.7, "shingle 0: expected 1 to 100 words"),
        (
            5,
            0,
            8,
            0.7,
            "0 bands of 8 rows: expected at least 1 of each, and 1024 min-hashes at most",
        ),
        (
            5,
            200,
            8,
            0.7,
            "200 bands of 8 rows: expected at least 1 of each, and 1024 min-hashes at most",
        ),
        (5, 14, 8, 1.1, "threshold 1.1: expected more than 0 and at most 1, such as 0.7"),
    ] {
        let error = NearOptions::new(shingle, bands, rows, threshold).unwrap_err().to_string();
        assert_eq!(error, wanted);
    }
}
