//! From values to places on an axis, and the round numbers that are written beside it.

/// Values beyond this are as good as infinite: differences of them would overflow.
const LARGEST: f64 = 1e100;
/// Values closer to 0 are as good as 0: quotients of them would overflow.
const SMALLEST: f64 = 1e-100;

/// How an axis is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Division {
    #[default]
    Linear,
    /// By powers of ten. Values that are not above 0 have no place.
    Logarithmic,
}

/// What was asked for: a label, a division, perhaps the ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Axis {
    pub(crate) label: Option<String>,
    pub(crate) division: Division,
    pub(crate) range: Option<(f64, f64)>,
}

/// An axis whose ends are known.
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    division: Division,
    low: f64,
    high: f64,
    /// The distance between ticks; unused by logarithmic scales.
    step: f64,
}

impl Axis {
    /// The same, ending where the values do and not at a tick.
    pub(crate) fn tight_scale(
        &self,
        values: impl Iterator<Item = f64> + Clone,
        ticks: usize,
    ) -> Scale {
        let loose = self.scale(values.clone(), ticks);
        let placed = values.filter(|value| loose.place(*value).is_some());
        let low = placed.clone().fold(f64::INFINITY, f64::min);
        let high = placed.fold(f64::NEG_INFINITY, f64::max);
        let range = self.range.or(Some((low, high)));
        Axis { label: None, division: self.division, range }.scale([low, high].into_iter(), ticks)
    }

    /// The scale for these values, with about `ticks` ticks. Without values it goes from 0 to 1.
    pub(crate) fn scale(&self, values: impl Iterator<Item = f64>, ticks: usize) -> Scale {
        let logarithmic = self.division == Division::Logarithmic;
        let drawable = |value: &f64| value.abs() <= LARGEST && (!logarithmic || *value >= SMALLEST);
        let tamed = |value: f64| if value.abs() < SMALLEST { 0.0 } else { value };
        let ends = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
        let drawn = values.filter(drawable).map(tamed);
        let found = drawn.fold((f64::INFINITY, f64::NEG_INFINITY), ends);
        let asked = self.range.map(|(low, high)| (tamed(low), tamed(high)));
        let asked = asked.filter(|(low, high)| drawable(low) && drawable(high) && low < high);
        let (mut low, mut high) = asked.unwrap_or(found);
        if low > high {
            (low, high) = if logarithmic { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        if logarithmic {
            if asked.is_none() {
                (low, high) = (decade(low, f64::floor), decade(high, f64::ceil));
            }
            if low >= high {
                high = low * 10.0;
            }
            return Scale { division: self.division, low, high, step: 0.0 };
        }
        if high - low <= low.abs().max(high.abs()) * 1e-12 {
            let room = if low == 0.0 { 1.0 } else { low.abs() / 2.0 };
            (low, high) = (low - room, high + room);
        }
        let step = round_step((high - low) / ticks.max(1) as f64);
        if asked.is_none() {
            (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        }
        Scale { division: self.division, low, high, step }
    }
}

impl Scale {
    /// From 0, the low end, to 1, the high end; beyond where the value is. `None` for what has no
    /// place.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        let place = match self.division {
            Division::Linear => (value - self.low) / (self.high - self.low),
            Division::Logarithmic if value >= SMALLEST => {
                (value.log10() - self.low.log10()) / (self.high.log10() - self.low.log10())
            }
            Division::Logarithmic => return None,
        };
        // A page's width away is far enough for a line that leaves the picture.
        (value.abs() <= LARGEST).then(|| place.clamp(-1.0, 2.0))
    }

    /// The values that get a line and a label.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        if self.division == Division::Logarithmic {
            return self.powers();
        }
        let digits = (-self.step.log10().floor()).clamp(0.0, 12.0) as usize;
        let first = (self.low / self.step - 1e-9).ceil();
        let last = (self.high / self.step + 1e-9).floor();
        let count = (last - first).clamp(0.0, 40.0) as u32;
        let value = |tick: u32| (first + f64::from(tick)) * self.step;
        (0..=count).map(value).map(|value| (value, label(value, digits))).collect()
    }

    /// Powers of ten, with 2 and 5 times these between where there are few.
    fn powers(&self) -> Vec<(f64, String)> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let few = last - first <= 3;
        let stride = ((last - first) / 10 + 1) as usize;
        let factors: &[f64] = if few { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let mut ticks = Vec::new();
        for exponent in (first..=last).step_by(stride) {
            for factor in factors {
                let value = factor * 10f64.powi(exponent);
                let digits = (-exponent).clamp(0, 12) as usize;
                if value >= self.low * (1.0 - 1e-9) && value <= self.high * (1.0 + 1e-9) {
                    ticks.push((value, label(value, digits)));
                }
            }
        }
        ticks
    }
}

fn decade(value: f64, round: fn(f64) -> f64) -> f64 {
    10f64.powi(round(value.log10()) as i32)
}

/// 1, 2 or 5 times a power of ten, not below `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powi(least.log10().floor() as i32);
    let factors = [1.0, 2.0, 5.0, 10.0];
    let factor = factors.into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// A number for people: `0.25`, `-3`, `12,000`, `1e15`.
pub(crate) fn label(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    if value != 0.0 && !(1e-9..1e12).contains(&value.abs()) {
        return format!("{value:e}");
    }
    let text = format!("{:.digits$}", value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let mut label = String::from(if value < 0.0 && !zero { "−" } else { "" });
    for (at, digit) in whole.chars().enumerate() {
        // Groups help from five digits on; 2010 is mostly a year.
        if at > 0 && whole.len() > 4 && (whole.len() - at).is_multiple_of(3) {
            label.push(',');
        }
        label.push(digit);
    }
    label + rest
}

/// The same with as many digits as tell something: `0.8731`, `12.5`, `1,204`.
pub(crate) fn short(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 1000.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 4,
    };
    let text = label(value, digits);
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(axis: &Axis, values: &[f64]) -> String {
        let scale = axis.scale(values.iter().copied(), 5);
        let labels: Vec<String> = scale.ticks().into_iter().map(|(_, label)| label).collect();
        labels.join(" ")
    }

    #[test]
    fn round_numbers() {
        let linear = Axis::default();
        assert_eq!(ticks(&linear, &[0.0, 1.0]), "0.0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(ticks(&linear, &[-3.0, 12.0]), "−5 0 5 10 15");
        assert_eq!(ticks(&linear, &[0.0, 48_000.0]), "0 10,000 20,000 30,000 40,000 50,000");
        assert_eq!(ticks(&linear, &[]), "0.0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(ticks(&linear, &[7.0]), "2 4 6 8 10 12");
        assert_eq!(ticks(&linear, &[f64::NAN, f64::INFINITY, 1.0, 2.0]), "1.0 1.2 1.4 1.6 1.8 2.0");
        let asked = Axis { range: Some((0.55, 0.95)), ..Axis::default() };
        assert_eq!(ticks(&asked, &[7.0]), "0.6 0.7 0.8 0.9");
        let logarithmic = Axis { division: Division::Logarithmic, ..Axis::default() };
        assert_eq!(ticks(&logarithmic, &[3.0, 90.0, -1.0]), "1 2 5 10 20 50 100");
        assert_eq!(
            ticks(&logarithmic, &[0.002, 90_000.0]),
            "0.001 0.01 0.1 1 10 100 1000 10,000 100,000"
        );
        assert_eq!(ticks(&logarithmic, &[1.0]), "1 2 5 10");
    }

    #[test]
    fn any_values_have_a_scale() {
        let odd = [0.0, -0.0, 1e-300, 1e300, -1e99, 1e99, f64::MIN_POSITIVE, f64::NAN, 1.0 + 1e-15];
        for division in [Division::Linear, Division::Logarithmic] {
            for (low, high) in odd.iter().flat_map(|low| odd.map(|high| (*low, high))) {
                for range in [None, Some((low, high))] {
                    let axis = Axis { division, range, label: None };
                    let scale = axis.scale([low, high].into_iter(), 5);
                    assert!(scale.ticks().len() <= 41, "{scale:?}");
                    for value in odd {
                        let place = scale.place(value);
                        assert!(place.is_none_or(f64::is_finite), "{value} on {scale:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(short(0.87312), "0.8731");
        assert_eq!(short(-0.00001), "0");
        assert_eq!(short(0.5), "0.5");
        assert_eq!(short(12.0), "12");
        assert_eq!(short(1_234_567.0), "1,234,567");
        assert_eq!(short(-1.25), "−1.25");
        assert_eq!(short(1e15), "1e15");
        assert_eq!(short(f64::NAN), "–");
    }
}
