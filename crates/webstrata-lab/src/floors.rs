//! The scores below which our extractors must not fall.
//!
//! ```toml
//! version = 1
//!
//! [sets.tides]                # or [sets."tides/40"], a sample of 40 pages
//! pages = 120
//! digest = "9f86d0…"          # of ids, pages and gold texts: floors hold for this content only
//!
//! [sets.tides.bag]            # mean bag-of-words F1, rounded down
//! article = 0.9123
//!
//! [sets.tides.lowered]        # why a floor is lower than it was
//! article = "0.9201 before: headings are no longer kept"
//! ```

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use webstrata_base::error::Error;

/// How far below its floor a score may be: sums of floating point numbers are not the same everywhere.
pub const TOLERANCE: f64 = 0.0005;

/// The shape of the file that this version reads and writes.
const VERSION: u32 = 1;

const HEAD: &str = "\
# The scores below which our extractors must not fall: mean bag-of-words F1 over all pages of a set, rounded
# down. Checked by `webstrata-lab eval --set DIR --floors FILE`, written by the same with `--update-floors`,
# which lowers nothing without a reason.
";

/// All floors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floors {
    version: u32,
    #[serde(default)]
    sets: BTreeMap<String, SetFloors>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetFloors {
    pages: usize,
    digest: String,
    /// Why these floors took the place of those of another set with the same name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaced: Option<String>,
    bag: BTreeMap<String, f64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    lowered: BTreeMap<String, String>,
}

/// What our extractors reach on a set.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The name of the set; `<set>/<pages>` for a sample.
    pub set: String,
    /// How many pages it has.
    pub pages: usize,
    /// What is in it.
    pub digest: String,
    /// The built-in extractors and their means.
    pub means: Vec<(String, f64)>,
}

/// What a comparison of scores with floors shows, as a line for people.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// All extractors that have floors reach them: their number.
    Holds(String, usize),
    /// Worth knowing.
    Note(String),
    /// A score is too low, or a floor would be lowered.
    Fails(String),
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Holds(set, 1) => write!(f, "{set}: 1 floor holds"),
            Finding::Holds(set, floors) => write!(f, "{set}: {floors} floors hold"),
            Finding::Note(line) | Finding::Fails(line) => f.write_str(line),
        }
    }
}

impl Default for Floors {
    fn default() -> Floors {
        Floors { version: VERSION, sets: BTreeMap::new() }
    }
}

impl Floors {
    /// Reads the file.
    pub fn from_toml(text: &str) -> Result<Floors, Error> {
        let floors: Floors =
            toml::from_str(text).map_err(|error| Error::new(error.message().to_owned()))?;
        if floors.version != VERSION {
            let version = floors.version;
            return Err(Error::new(format!("version {version}, but only {VERSION} is known")));
        }
        Ok(floors)
    }

    /// The file.
    pub fn to_toml(&self) -> String {
        let toml = toml::to_string(self).expect("tables of strings and numbers");
        format!("{HEAD}{toml}")
    }

    /// Are the scores as high as they must be?
    pub fn check(&self, measured: &Measured) -> Vec<Finding> {
        let Measured { set, digest, means, .. } = measured;
        let Some(floors) = self.sets.get(set) else {
            return vec![Finding::Note(format!("{set}: no floors; --update-floors adds them"))];
        };
        if floors.digest != *digest {
            let line = format!(
                "{set}: not the set that its floors were measured on ({} pages, digest {}…), so they \
                 are not compared",
                floors.pages,
                floors.digest.chars().take(12).collect::<String>()
            );
            return vec![Finding::Note(line)];
        }
        let (mut findings, mut holds) = (Vec::new(), 0);
        for (extractor, mean) in means {
            match floors.bag.get(extractor) {
                None => findings.push(Finding::Note(format!(
                    "{set}: no floor for {extractor}; --update-floors adds it"
                ))),
                Some(floor) if floor - mean > TOLERANCE => findings.push(Finding::Fails(format!(
                    "{set}: {extractor} has {mean:.4}, below its floor of {floor:.4}"
                ))),
                Some(_) => holds += 1,
            }
        }
        if holds > 0 {
            findings.push(Finding::Holds(set.clone(), holds));
        }
        findings
    }

    /// Adds and raises floors; lowers them only for a reason, which is kept. Where a finding
    /// [fails](Finding::Fails), the floors should not be written.
    pub fn update(&mut self, measured: &Measured, reason: Option<&str>) -> Vec<Finding> {
        let Measured { set, pages, digest, means } = measured;
        let mut findings = Vec::new();
        let new = || SetFloors { pages: *pages, digest: digest.clone(), ..SetFloors::default() };
        let floors = self.sets.entry(set.clone()).or_insert_with(new);
        if floors.digest != *digest {
            let Some(reason) = reason else {
                return vec![Finding::Fails(format!(
                    "{set}: not the set that its floors were measured on; --allow-lower REASON \
                     replaces them"
                ))];
            };
            *floors = SetFloors { replaced: Some(reason.to_owned()), ..new() };
            findings.push(Finding::Note(format!("{set}: floors replaced, the set is another one")));
        }
        for (extractor, mean) in means {
            let now = rounded_down(*mean);
            let line = match floors.bag.get(extractor) {
                Some(floor) if floor - mean > TOLERANCE => {
                    let Some(reason) = reason else {
                        findings.push(Finding::Fails(format!(
                            "{set}: {extractor} has {mean:.4}, below its floor of {floor:.4}; \
                             --allow-lower REASON lowers it"
                        )));
                        continue;
                    };
                    let record = format!("{floor:.4} before: {reason}");
                    floors.lowered.insert(extractor.clone(), record);
                    format!("lowered from {floor:.4} to {now:.4}")
                }
                Some(floor) if now > *floor => format!("raised from {floor:.4} to {now:.4}"),
                Some(_) => continue,
                None => format!("added, {now:.4}"),
            };
            floors.bag.insert(extractor.clone(), now);
            findings.push(Finding::Note(format!("{set}: floor of {extractor} {line}")));
        }
        findings
    }
}

/// To four digits.
fn rounded_down(mean: f64) -> f64 {
    (mean * 1e4).floor() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(digest: &str, means: &[(&str, f64)]) -> Measured {
        let means = means.iter().map(|(name, mean)| ((*name).to_owned(), *mean)).collect();
        Measured { set: "tides".into(), pages: 3, digest: digest.into(), means }
    }

    fn lines(findings: &[Finding]) -> Vec<String> {
        findings.iter().map(Finding::to_string).collect()
    }

    fn fails(findings: &[Finding]) -> bool {
        findings.iter().any(|finding| matches!(finding, Finding::Fails(_)))
    }

    #[test]
    fn floors_hold_or_do_not() {
        let mut floors = Floors::default();
        let before = measured("ab", &[("article", 0.90129), ("bte", 0.5)]);
        assert_eq!(lines(&floors.check(&before)), ["tides: no floors; --update-floors adds them"]);
        assert_eq!(
            lines(&floors.update(&before, None)),
            ["tides: floor of article added, 0.9012", "tides: floor of bte added, 0.5000"]
        );
        assert_eq!(lines(&floors.check(&before)), ["tides: 2 floors hold"]);
        // As near as floating point numbers may differ.
        assert!(!fails(&floors.check(&measured("ab", &[("article", 0.9008)]))));
        let found = floors.check(&measured("ab", &[("article", 0.9), ("canola", 0.1)]));
        assert!(fails(&found));
        assert_eq!(
            lines(&found),
            [
                "tides: article has 0.9000, below its floor of 0.9012",
                "tides: no floor for canola; --update-floors adds it"
            ]
        );
        let other = floors.check(&measured("cd", &[("article", 0.1)]));
        assert!(!fails(&other));
        assert!(lines(&other)[0].contains("not the set that its floors were measured on"));
        // Somebody else wrote the digest: any text will do.
        floors.sets.get_mut("tides").unwrap().digest = "aäöüäöüäöü".into();
        assert!(!fails(&floors.check(&before)));
    }

    #[test]
    fn floors_are_raised_and_lowered_for_a_reason_only() {
        let mut floors = Floors::default();
        floors.update(&measured("ab", &[("article", 0.9)]), None);
        let raised = floors.update(&measured("ab", &[("article", 0.95)]), None);
        assert_eq!(lines(&raised), ["tides: floor of article raised from 0.9000 to 0.9500"]);
        let lower = measured("ab", &[("article", 0.8)]);
        let kept = floors.clone();
        assert!(fails(&floors.update(&lower, None)));
        assert_eq!(floors, kept);
        assert!(!fails(&floors.update(&lower, Some("fewer headings"))));
        assert_eq!(floors.sets["tides"].bag["article"], 0.8);
        assert_eq!(floors.sets["tides"].lowered["article"], "0.9500 before: fewer headings");
        assert!(fails(&floors.update(&measured("cd", &[("article", 0.9)]), None)));
        floors.update(&measured("cd", &[("bte", 0.1)]), Some("more pages"));
        let set = &floors.sets["tides"];
        assert_eq!((set.replaced.as_deref(), set.bag.len()), (Some("more pages"), 1));
    }

    #[test]
    fn files() {
        let mut floors = Floors::default();
        floors.update(&measured("ab", &[("article", 0.9)]), None);
        floors.update(&measured("ab", &[("article", 0.8)]), Some("a \"reason\""));
        assert_eq!(Floors::from_toml(&floors.to_toml()), Ok(floors));
        let error = |text: &str| Floors::from_toml(text).unwrap_err().to_string();
        assert_eq!(error("version = 2"), "version 2, but only 1 is known");
        assert!(error("version = 1\nset = 1").contains("unknown field `set`"));
        assert!(error("").contains("version"));
    }
}
