//! Filters that the library does not know: those of the program that uses it.

use std::fmt;
use std::sync::Arc;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::{Filter, Step};

/// A filter of the program's own, as a [`Step`]. Two are equal if they are the same object.
#[derive(Clone)]
pub struct OwnFilter(Arc<dyn Filter>);

impl OwnFilter {
    pub(super) fn filter(&self) -> &dyn Filter {
        &*self.0
    }
}

impl fmt::Debug for OwnFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Its name, which is all that is known of it.
impl Serialize for OwnFilter {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("OwnFilter", 1)?;
        fields.serialize_field("name", self.0.name())?;
        fields.end()
    }
}

impl PartialEq for OwnFilter {
    fn eq(&self, other: &OwnFilter) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl From<Arc<dyn Filter>> for Step {
    fn from(filter: Arc<dyn Filter>) -> Step {
        Step::Own(OwnFilter(filter))
    }
}

/// Every filter is a step: a built-in one by its name, any other as [`Step::Own`].
impl<F: Filter + 'static> From<F> for Step {
    fn from(filter: F) -> Step {
        filter.into_step()
    }
}
