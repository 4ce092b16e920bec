//! What happens to one page: extraction and filters. Can be done on any thread.

use webstrata::Request;
use webstrata_archive::record::{Filters, Making, NoRecord, PageRecord};
use webstrata_archive::{Arrival, sniff};

use super::{Keys, NamedFilter, Pipeline};
use crate::chunks::Headings;
use crate::filters::{Candidate, Marks, Verdict};

/// The kind of pages that are something else, whatever their server said.
pub const NO_PAGE: &str = "not-html";

/// Judges pages.
#[derive(Debug)]
pub struct Judging<'a> {
    /// What is asked of pages.
    pub request: &'a Request,
    /// What is done with them.
    pub pipeline: &'a Pipeline,
}

/// A page that was judged.
#[derive(Debug)]
pub struct Judged {
    /// The record as the filters left it.
    pub record: PageRecord,
    /// The headings of the page, where texts are cut into pieces.
    pub headings: Headings,
    /// What they say.
    pub outcome: Outcome,
}

/// What filters say of a page.
#[derive(Debug)]
pub enum Outcome {
    /// It stays, if it repeats none: what is compared of it.
    Stays(Keys),
    /// It goes, for this reason, such as `gopher-quality/too-few-words`.
    Dropped(String),
}

impl Judging<'_> {
    /// Judges a page, or a record that was extracted before.
    ///
    /// # Errors
    ///
    /// Where it is no page: what it is instead.
    pub fn page(&self, arrival: &Arrival) -> Result<Judged, String> {
        let candidate = self.candidate(arrival)?;
        Ok(self.judge(candidate))
    }

    fn candidate(&self, arrival: &Arrival) -> Result<Candidate, String> {
        if arrival.is_record() {
            let record = arrival.page_record().ok_or("a record that cannot be read")?;
            return Ok(Candidate::new(record, Marks::default()));
        }
        if let Some(why) = sniff::not_a_page(&arrival.bytes) {
            return Err(why);
        }
        let page =
            self.request.extract_with(&arrival.bytes, &arrival.options(&self.request.options));
        let marks = Marks::of(&page.tree);
        let making = Making { request: self.request, filters: &Filters::default() };
        let id = arrival.name.replace(std::path::MAIN_SEPARATOR, "/");
        let origin = webstrata_archive::record::Origin::of(arrival);
        match making.record(id, &page, origin) {
            Ok(record) => Ok(Candidate::new(record, marks)),
            Err(NoRecord::NotAPage(why)) => Err(why),
            Err(NoRecord::Filtered(why)) => Err(why.to_owned()),
        }
    }

    fn judge(&self, mut candidate: Candidate) -> Judged {
        let headings = match (self.pipeline.chunk, &candidate.record().record.markdown) {
            (Some(_), Some(markdown)) => Headings::of_markdown(markdown),
            _ => Headings::default(),
        };
        for NamedFilter { name, filter, .. } in &self.pipeline.filters {
            if let Verdict::Drop(reason) = filter.judge(&mut candidate) {
                let outcome = Outcome::Dropped(format!("{name}/{reason}"));
                return Judged { record: candidate.into_record(), headings, outcome };
            }
        }
        let record = candidate.into_record();
        if record.record.text.trim().is_empty() {
            let outcome = Outcome::Dropped("no-text".into());
            return Judged { record, headings, outcome };
        }
        let keys = Keys::of_record(&record, &self.pipeline.deduplicate);
        Judged { record, headings, outcome: Outcome::Stays(keys) }
    }
}
