//! What became of a page, step by step: what `webstrata explain`, the server and its page show.

use serde::Serialize;

use super::{BlockRecord, OutputOptions, Record, RecordPart};
use crate::extractors::{Extractor, StepTrace};
use crate::filters::Step;
use crate::page::Page;

/// The version of [`Explanation`]'s shape.
pub const EXPLANATION_VERSION: u32 = 1;

/// A page's record, every block with its decision, and what each step did. Its JSON is as stable as
/// that of [`Record`].
///
/// ```
/// use webstrata::output::Explanation;
/// use webstrata::{Extractor, Options, Page};
///
/// let extractor = Extractor::named("min-words").unwrap();
/// let page = Page::read(b"<p>Home<p>High water is at noon.", extractor.cutting, &Options::default());
/// let explanation = Explanation::of(page, &extractor, &[], &Default::default());
/// let [home, tides] = &explanation.blocks[..] else { panic!("two blocks") };
/// assert!(!home.block.content);
/// assert_eq!(tides.index, 1);
/// ```
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Explanation {
    /// The version of this shape: 1.
    pub version: u32,
    /// The page as it is extracted, its blocks aside.
    pub record: Record,
    /// Every block, in the order of the page.
    pub blocks: Vec<ExplainedBlock>,
    /// The extractor's steps, in their order.
    pub steps: Vec<ExplainedStep>,
}

/// A block and the step that decided about it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ExplainedBlock {
    /// The block's number, from 0.
    pub index: usize,
    /// What is known about it.
    #[serde(flatten)]
    pub block: BlockRecord,
    /// The last step that kept or dropped the block; none if no step ever kept it.
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub decided_by: Option<Decision>,
}

/// The step that decided.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Decision {
    /// Index into the steps.
    pub step: usize,
    /// The name of its filter.
    pub filter: &'static str,
}

/// A step with its parameters, and the blocks it changed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ExplainedStep {
    /// The filter with its parameters.
    #[cfg_attr(feature = "schema", schema(value_type = Object, example = json!({"filter": "keep-likely", "recall": 1.0})))]
    pub step: Step,
    /// Blocks that became content.
    pub kept: Vec<usize>,
    /// Blocks that are content no more.
    pub dropped: Vec<usize>,
    /// Blocks that were taken out of the list.
    pub removed: Vec<usize>,
}

impl Explanation {
    /// Applies an extractor to a page that was read with its cutting, and records what each step does. The
    /// record has the parts asked for, without the blocks: these are in [`Explanation::blocks`].
    pub fn of(
        mut page: Page<'_>,
        extractor: &Extractor,
        parts: &[RecordPart],
        markup: &OutputOptions,
    ) -> Explanation {
        let traces = extractor.explain(&mut page.document);
        let decisions = Extractor::decisions(&traces, &page.document);
        let parts = [parts, &[RecordPart::Blocks]].concat();
        let markup = OutputOptions { reasons: true, ..*markup };
        let mut record = Record::of(&page, &parts, &markup);
        let blocks = record.blocks.take().unwrap_or_default();
        let blocks = blocks.into_iter().zip(decisions).enumerate().map(|(index, (block, step))| {
            let decided_by = step.map(|step| Decision { step, filter: traces[step].step });
            ExplainedBlock { index, block, decided_by }
        });
        let blocks = blocks.collect();
        let steps = extractor.steps.iter().cloned().zip(traces).map(|(step, trace)| {
            let StepTrace { kept, dropped, removed, .. } = trace;
            ExplainedStep { step, kept, dropped, removed }
        });
        Explanation { version: EXPLANATION_VERSION, record, blocks, steps: steps.collect() }
    }
}
