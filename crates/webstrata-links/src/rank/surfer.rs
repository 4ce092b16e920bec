//! How the random surfer chooses links.

use webstrata_base::Error;

use crate::links::Stratum;

/// How the surfer of a page decides which link to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Choice {
    /// Among all links of the page, each with its weights.
    #[default]
    Link,
    /// First whether to stay on the host, by the weights of those sides that the page has links to, then among the
    /// links of that side: the decision is made upstream to browsing (5.2.1).
    Side,
    /// First whether to stay on the host, then whether to take a link of the main text, then any of these.
    Stratum,
}

/// The random surfer (3.1) and the stratified one (5.2.1). The default is plain PageRank.
///
/// Weights are relative: 0.5 and 0.5 is the same as 1 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surfer {
    /// α: how likely the surfer follows a link instead of jumping; from 0 to below 1.
    pub alpha: f64,
    /// β: the weight of links inside of a host.
    pub internal: f64,
    /// γ: the weight of links to other hosts.
    pub external: f64,
    /// The weight of links in the main text.
    pub content: f64,
    /// The weight of links in boilerplate.
    pub boilerplate: f64,
    /// Whether weights are of links or of strata.
    pub choice: Choice,
}

impl Default for Surfer {
    fn default() -> Surfer {
        Surfer {
            alpha: 0.85,
            internal: 0.5,
            external: 0.5,
            content: 0.5,
            boilerplate: 0.5,
            choice: Choice::Link,
        }
    }
}

impl Surfer {
    /// Is it a surfer that can be computed?
    pub fn check(&self) -> Result<(), Error> {
        if !(0.0..1.0).contains(&self.alpha) {
            return Err(Error::new(format!(
                "alpha is {}, must be from 0 to below 1 (who never jumps has no one ranking)",
                self.alpha
            )));
        }
        let weights = [
            ("internal", self.internal),
            ("external", self.external),
            ("content", self.content),
            ("boilerplate", self.boilerplate),
        ];
        for (name, weight) in weights {
            if !(0.0..=1e9).contains(&weight) {
                return Err(Error::new(format!(
                    "the weight of {name} links is {weight}, must be from 0 to a billion"
                )));
            }
        }
        if self.internal + self.external == 0.0 || self.content + self.boilerplate == 0.0 {
            return Err(Error::new("all links have weight 0, give one of two weights more"));
        }
        Ok(())
    }

    /// Which links of a page carry the same share: the class of each stratum, and how many classes there are.
    pub(crate) fn classes(&self) -> Classes {
        let splits_sides = self.choice != Choice::Link || self.internal != self.external;
        let splits_places = self.choice == Choice::Stratum || self.content != self.boilerplate;
        let of = Stratum::all().map(|stratum| {
            let side = u8::from(splits_sides && stratum.is_external());
            let place = u8::from(splits_places && stratum.is_boilerplate());
            side + place * (1 + u8::from(splits_sides))
        });
        let count = (1 + usize::from(splits_sides)) * (1 + usize::from(splits_places));
        Classes { of, count }
    }

    /// What a link of each class carries of its page's rank, α included; 0 where the page has no such link or it
    /// has no weight.
    pub(crate) fn shares(&self, classes: &Classes, out_degrees: [u32; Stratum::COUNT]) -> [f64; 4] {
        // How likely each stratum is to be followed, by side and place, before both are made to sum to one.
        let mut likely = [[0.0; 2]; 2];
        for stratum in Stratum::all() {
            let degree = f64::from(out_degrees[stratum.index()]);
            let place = if stratum.is_boilerplate() { self.boilerplate } else { self.content };
            likely[usize::from(stratum.is_external())][usize::from(stratum.is_boilerplate())] =
                if self.choice == Choice::Stratum && degree > 0.0 { place } else { place * degree };
        }
        for (side, weight) in likely.iter_mut().zip([self.internal, self.external]) {
            let total: f64 = side.iter().sum();
            let apart = self.choice != Choice::Link && total > 0.0;
            for place in side {
                *place *= if apart { weight / total } else { weight };
            }
        }
        let total: f64 = likely.iter().flatten().sum();
        let mut shares = [0.0; 4];
        if total == 0.0 {
            return shares;
        }
        for stratum in Stratum::all() {
            let degree = out_degrees[stratum.index()];
            if degree > 0 {
                let likely = likely[usize::from(stratum.is_external())]
                    [usize::from(stratum.is_boilerplate())];
                shares[usize::from(classes.of[stratum.index()])] =
                    self.alpha * likely / total / f64::from(degree);
            }
        }
        shares
    }
}

/// The strata whose links carry the same share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Classes {
    pub(crate) of: [u8; Stratum::COUNT],
    pub(crate) count: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plain_surfer_knows_one_kind_of_link() {
        let surfer = Surfer::default();
        let classes = surfer.classes();
        assert_eq!(classes.count, 1);
        assert_eq!(surfer.shares(&classes, [3, 1, 4, 0])[0], 0.85 / 8.0);
        assert_eq!(surfer.shares(&classes, [0; 4]), [0.0; 4]);
    }

    #[test]
    fn weights_are_of_links_or_of_strata() {
        let by_link = Surfer { alpha: 0.8, internal: 1.0, external: 3.0, ..Surfer::default() };
        let classes = by_link.classes();
        assert_eq!(classes.count, 2);
        // Two links inside and two outside: 1 + 1 + 3 + 3.
        assert_eq!(by_link.shares(&classes, [1, 2, 1, 0])[..2], [0.1, 0.8 * 3.0 / 8.0]);
        // Whatever the number of links, the sides are 1 to 3.
        let by_side = Surfer { choice: Choice::Side, ..by_link };
        let classes = by_side.classes();
        assert_eq!(classes.count, 2);
        let shares = by_side.shares(&classes, [3, 1, 1, 0]);
        assert!((shares[0] - 0.8 * 0.25 / 4.0).abs() < 1e-12);
        assert!((shares[1] - 0.8 * 0.75).abs() < 1e-12);
        // Inside, both places are as likely, however many links they have.
        let by_stratum = Surfer { choice: Choice::Stratum, ..by_link };
        let classes = by_stratum.classes();
        assert_eq!(classes.count, 4);
        let shares = by_stratum.shares(&classes, [3, 1, 1, 0]);
        assert!((shares[0] - 0.8 * 0.25 / 2.0 / 3.0).abs() < 1e-12);
        assert!((shares[2] - 0.8 * 0.25 / 2.0).abs() < 1e-12);
        // A side that the page has no links to is not chosen.
        assert!((by_side.shares(&by_side.classes(), [2, 0, 0, 0])[0] - 0.4).abs() < 1e-12);
    }

    #[test]
    fn impossible_surfers_are_refused() {
        for surfer in [
            Surfer { alpha: 1.0, ..Surfer::default() },
            Surfer { alpha: f64::NAN, ..Surfer::default() },
            Surfer { content: -1.0, ..Surfer::default() },
            Surfer { internal: 0.0, external: 0.0, ..Surfer::default() },
        ] {
            assert!(surfer.check().is_err(), "{surfer:?}");
        }
        assert!(Surfer { alpha: 0.0, ..Surfer::default() }.check().is_ok());
    }
}
