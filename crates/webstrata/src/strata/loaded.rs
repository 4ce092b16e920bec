//! Models that are read when a program runs, in place of those that come with the library.

use std::sync::Arc;

use super::max_model::{self, MaxModel};
use super::model::{self, StrataModel};
use super::site_model::{self, SiteModel};
use crate::error::{Error, ErrorKind};
use crate::filters::Step;

/// Bytes of a model file. The built-in ones have a quarter of a megabyte.
const MAX_BYTES: usize = 64 << 20;

/// A model of one of the learned filters.
pub(crate) enum LoadedModel {
    Strata(Arc<StrataModel>),
    Max(Arc<MaxModel>),
    Site(Arc<SiteModel>),
}

impl LoadedModel {
    /// Reads a model file, whichever of the three it is.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<LoadedModel, Error> {
        if bytes.len() > MAX_BYTES {
            let why = format!("this is no model: it has more than {} MiB", MAX_BYTES >> 20);
            return Err(Error::new(why).of_kind(ErrorKind::InvalidModel));
        }
        // Without the version, of which the model's own reader has something to say.
        let is = |magic: &[u8]| bytes.starts_with(&magic[..magic.len() - b"1\n".len()]);
        if is(model::MAGIC) {
            Ok(LoadedModel::Strata(StrataModel::from_bytes(bytes)?.into()))
        } else if is(max_model::MAGIC) {
            Ok(LoadedModel::Max(MaxModel::from_bytes(bytes)?.into()))
        } else if is(site_model::MAGIC) {
            Ok(LoadedModel::Site(SiteModel::from_bytes(bytes)?.into()))
        } else {
            let why = "this is no model of `strata`, `strata-max` or `strata+site`: train one, or leave it away";
            Err(Error::new(why).of_kind(ErrorKind::InvalidModel))
        }
    }

    /// Gives the model to a step, if that is one that uses such a model.
    pub(crate) fn give_to(&self, step: &mut Step) -> bool {
        match (step, self) {
            (Step::KeepLikely(filter), LoadedModel::Strata(model)) => {
                filter.model = Some(model.clone());
            }
            (Step::KeepLikely(filter), LoadedModel::Max(model)) if filter.network_up_to > 0.0 => {
                filter.max_model = Some(model.clone());
            }
            (Step::KeepLikelyOnSite(filter), LoadedModel::Site(model)) => {
                filter.model = Some(model.clone());
            }
            _ => return false,
        }
        true
    }

    /// The extractors that can use it.
    pub(crate) fn users(&self) -> &'static str {
        match self {
            LoadedModel::Strata(_) => "`strata`, `strata-max` or `strata+site`",
            LoadedModel::Max(_) => "`strata-max`",
            LoadedModel::Site(_) => "`strata+site`",
        }
    }
}

/// A number that tells models apart, of a step that has a loaded one.
pub(crate) fn fingerprint(step: &Step) -> Option<u64> {
    let bytes = match step {
        Step::KeepLikely(filter) => {
            let model = filter.model.as_ref().map(|model| model.to_bytes());
            let max = filter.max_model.as_ref().map(|model| model.to_bytes());
            [model, max].into_iter().flatten().reduce(|one, other| [one, other].concat())?
        }
        Step::KeepLikelyOnSite(filter) => filter.model.as_ref()?.to_bytes(),
        _ => return None,
    };
    // FNV-1a, the same everywhere for ever.
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    Some(bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}
