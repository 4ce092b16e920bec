//! Linear models: weighted sums of scaled features, one for every pair of classes.

use std::fmt;

use super::number::{Number, finite};
use super::{Verdict, check_classes, class_names, known_classes, known_feature};
use crate::class::Class;
use crate::error::Error;
use crate::features::FEATURES;

/// What the files of these models say they are, with the version of their format.
pub(super) const KIND: &str = "linear 1";

/// How a feature is brought to a range from 0 to 1: `(value - min) / (max - min)`, as Weka's SMO
/// normalises. Values outside that range are not cut off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The feature, as an index into [`FEATURES`].
    pub feature: usize,
    /// The value that becomes 0.
    pub min: f64,
    /// The value that becomes 1.
    pub max: f64,
}

/// What decides between two classes: `bias + weights · scaled features` is above 0 for the second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Duel {
    /// What is added to the weighted sum.
    pub bias: f64,
    /// A weight for every scale.
    pub weights: Vec<f64>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Linear {
    classes: Vec<Class>,
    scales: Vec<Scale>,
    /// In the order of [`pairs`].
    duels: Vec<Duel>,
}

/// All pairs of `classes` numbers, the lower one first: (0, 1), (0, 2), …, (1, 2), ….
fn pairs(classes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..classes).flat_map(move |first| (first + 1..classes).map(move |second| (first, second)))
}

impl Linear {
    pub(super) fn new(
        classes: &[Class],
        scales: &[Scale],
        duels: &[Duel],
    ) -> Result<Linear, Error> {
        check_classes(classes).map_err(Error::new)?;
        for (place, scale) in scales.iter().enumerate() {
            check_scale(scale, &scales[..place]).map_err(Error::new)?;
        }
        let fits = |duel: &Duel| duel.weights.len() == scales.len();
        if duels.len() != pairs(classes.len()).count() || !duels.iter().all(fits) {
            return Err(Error::new(
                "expected a duel for every pair of classes, a weight for every scale",
            ));
        }
        let mut numbers = duels.iter().flat_map(|duel| duel.weights.iter().chain([&duel.bias]));
        if let Some(wrong) = numbers.find(|number| !number.is_finite()) {
            return Err(Error::new(format!("a weight is a finite number, found {wrong}")));
        }
        Ok(Linear { classes: classes.into(), scales: scales.into(), duels: duels.into() })
    }

    pub(super) fn features(&self) -> impl Iterator<Item = u16> {
        self.scales.iter().map(|scale| scale.feature as u16)
    }

    pub(super) fn classify(&self, value: impl Fn(usize) -> f64) -> Verdict {
        let scaled = |scale: &Scale| (value(scale.feature) - scale.min) / (scale.max - scale.min);
        let scaled: Vec<f64> = self.scales.iter().map(scaled).collect();
        let mut votes = [0u8; Class::ALL.len()];
        let mut surest = if self.classes.contains(&Class::Boilerplate) { 0.0 } else { 1.0 };
        for ((first, second), duel) in pairs(self.classes.len()).zip(&self.duels) {
            let margin = duel.margin(&scaled);
            votes[if margin > 0.0 { second } else { first }] += 1;
            let towards_content = match (self.classes[first], self.classes[second]) {
                (Class::Boilerplate, _) => margin,
                (_, Class::Boilerplate) => -margin,
                _ => continue,
            };
            surest = logistic(towards_content).max(surest);
        }
        let most = votes.iter().max().expect("an array of all classes");
        let winner = votes.iter().position(|count| count == most).expect("it is in there");
        Verdict { class: self.classes[winner], score: surest as f32 }
    }
}

impl Duel {
    fn margin(&self, scaled: &[f64]) -> f64 {
        let margin = self.weights.iter().zip(scaled).fold(self.bias, |sum, (w, x)| sum + w * x);
        // Infinite products of both signs: nobody wins.
        if margin.is_nan() { 0.0 } else { margin }
    }
}

fn logistic(margin: f64) -> f64 {
    1.0 / (1.0 + (-margin).exp())
}

fn check_scale(scale: &Scale, others: &[Scale]) -> Result<(), String> {
    let Scale { feature, min, max } = *scale;
    if feature >= FEATURES.len() || others.iter().any(|other| other.feature == feature) {
        return Err(format!("feature {feature} is none or is scaled twice"));
    }
    if !(min.is_finite() && max.is_finite() && min < max && (max - min).is_finite()) {
        return Err(format!("expected a range such as `0 to 250`, found `{min} to {max}`"));
    }
    Ok(())
}

impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |scale: &Scale| FEATURES[scale.feature].name;
        writeln!(f, "classes: {}\n", class_names(&self.classes))?;
        for scale in &self.scales {
            let Scale { min, max, .. } = *scale;
            writeln!(f, "scale {}: {} to {}", name(scale), Number(min), Number(max))?;
        }
        for ((first, second), duel) in pairs(self.classes.len()).zip(&self.duels) {
            let (first, second) = (self.classes[first].name(), self.classes[second].name());
            write!(f, "{first} or {second}: {}", Number(duel.bias))?;
            for (scale, weight) in self.scales.iter().zip(&duel.weights) {
                if *weight != 0.0 {
                    write!(f, " {} {}", name(scale), Number(*weight))?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// A linear model that is being read line by line.
#[derive(Default)]
pub(super) struct GrowingDuels {
    classes: Vec<Class>,
    scales: Vec<Scale>,
    duels: Vec<Duel>,
}

impl GrowingDuels {
    pub(super) fn add(&mut self, line: &str) -> Result<(), String> {
        let expected = || {
            format!(
                "expected `classes: …`, `scale FEATURE: …` or `CLASS or CLASS: …`, found `{line}`"
            )
        };
        let (head, rest) = line.split_once(':').ok_or_else(expected)?;
        let head: Vec<&str> = head.split_whitespace().collect();
        match head[..] {
            ["classes"] if self.classes.is_empty() => self.classes = known_classes(rest)?,
            ["scale", name] if self.duels.is_empty() => self.add_scale(name, rest)?,
            [first, "or", second] => self.add_duel(first, second, rest)?,
            _ => return Err(expected()),
        }
        Ok(())
    }

    fn add_scale(&mut self, name: &str, range: &str) -> Result<(), String> {
        let feature = usize::from(known_feature(name)?);
        let range: Vec<&str> = range.split_whitespace().collect();
        let [min, "to", max] = range[..] else {
            return Err(format!(
                "expected a range such as `0 to 250`, found `{}`",
                range.join(" ")
            ));
        };
        let scale = Scale { feature, min: finite(min)?, max: finite(max)? };
        check_scale(&scale, &self.scales)?;
        self.scales.push(scale);
        Ok(())
    }

    fn add_duel(&mut self, first: &str, second: &str, weights: &str) -> Result<(), String> {
        let Some((a, b)) = pairs(self.classes.len()).nth(self.duels.len()) else {
            return Err("no two classes are left to decide between".into());
        };
        let (a, b) = (self.classes[a].name(), self.classes[b].name());
        if (first, second) != (a, b) {
            return Err(format!("expected `{a} or {b}: …`, found `{first} or {second}`"));
        }
        let mut words = weights.split_whitespace();
        let bias = finite(words.next().ok_or("expected a number after the colon")?)?;
        let mut duel = Duel { bias, weights: vec![0.0; self.scales.len()] };
        while let Some(name) = words.next() {
            let feature = usize::from(known_feature(name)?);
            let place = self.scales.iter().position(|scale| scale.feature == feature);
            let place = place.ok_or_else(|| format!("no line `scale {name}: …` stands above"))?;
            let weight = words.next().ok_or_else(|| format!("expected a number after `{name}`"))?;
            duel.weights[place] = finite(weight)?;
        }
        self.duels.push(duel);
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Linear, Error> {
        if self.classes.is_empty() {
            return Err(Error::new("the model has no line `classes: …`"));
        }
        if let Some((a, b)) = pairs(self.classes.len()).nth(self.duels.len()) {
            let (a, b) = (self.classes[a].name(), self.classes[b].name());
            return Err(Error::new(format!("the model has no line `{a} or {b}: …`")));
        }
        let GrowingDuels { classes, scales, duels } = self;
        Ok(Linear { classes, scales, duels })
    }
}
