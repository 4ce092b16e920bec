//! Extractors: named lists of filters, readable and writable as TOML.
//!
//! ```
//! use webstrata::{Extractor, filters::{Classify, KeepLargest}};
//!
//! let mine = Extractor::new("mine").step(Classify::new("num-words")).step(KeepLargest::default());
//! let same = Extractor::from_toml(
//!     r#"
//!     name = "mine"
//!     steps = [
//!       { filter = "classify", model = "num-words" },
//!       { filter = "keep-largest" },
//!     ]
//!     "#,
//! )?;
//! assert_eq!(mine, same);
//! # Ok::<(), webstrata::Error>(())
//! ```

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;
use toml::{Spanned, Table, Value};

use crate::clock::Stage;
use crate::cutting::Cutting;
use crate::document::Document;
use crate::error::{Error, ErrorKind, nearest, quoted};
use crate::filters::{Classify, Filter, Step, Verb};
use crate::limits::Limit;
use crate::model::BlockModel;
use crate::options::Options;
use crate::page::Page;
use crate::strata::loaded::{self, LoadedModel};

/// A named list of steps that turns a page into its main text.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Extractor {
    /// What it is called.
    pub name: String,
    /// One line on what it is for.
    pub about: String,
    /// Where it is described.
    pub paper: String,
    /// How pages are cut into blocks for it.
    pub cutting: Cutting,
    /// The filters, applied in this order.
    pub steps: Vec<Step>,
    /// Built-in extractors to try, in this order, on a page where this one finds fewer than ten words.
    pub fallback: Vec<String>,
}

/// What one step did to the atoms of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepTrace {
    /// The filter's name.
    pub step: &'static str,
    /// What the filter may change.
    pub verb: Verb,
    /// Atoms that became content, ascending.
    pub kept: Vec<usize>,
    /// Atoms that stopped being content, ascending.
    pub dropped: Vec<usize>,
    /// Atoms that were taken out of the document, so that later steps do not see them, ascending.
    pub removed: Vec<usize>,
}

static FILES: [&str; 19] = [
    include_str!("extractors/strata.toml"),
    include_str!("extractors/strata-max.toml"),
    include_str!("extractors/strata+site.toml"),
    include_str!("extractors/site.toml"),
    include_str!("extractors/article.toml"),
    include_str!("extractors/sentences.toml"),
    include_str!("extractors/default.toml"),
    include_str!("extractors/largest.toml"),
    include_str!("extractors/canola.toml"),
    include_str!("extractors/num-words.toml"),
    include_str!("extractors/keep-all.toml"),
    include_str!("extractors/min-words.toml"),
    include_str!("extractors/density.toml"),
    include_str!("extractors/cleaneval.toml"),
    include_str!("extractors/main-content.toml"),
    include_str!("extractors/bte.toml"),
    include_str!("extractors/swarm.toml"),
    include_str!("extractors/container.toml"),
    include_str!("extractors/embedded.toml"),
];

/// Each is read when it is first asked for: most programs use one of them.
static READ: [OnceLock<Extractor>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];

static BUILTIN: LazyLock<Vec<Extractor>> =
    LazyLock::new(|| (0..FILES.len()).map(|index| builtin_at(index).clone()).collect());

fn builtin_at(index: usize) -> &'static Extractor {
    let read = || Extractor::from_toml(FILES[index]).expect("built-in extractors are tested");
    READ[index].get_or_init(read)
}

/// The names of the built-in extractors, without reading more of them than that.
pub(crate) fn builtin_names() -> impl Iterator<Item = &'static str> + Clone {
    FILES.iter().map(|file| file.split('"').nth(1).unwrap_or_default())
}

impl Extractor {
    /// The extractors that come with the library.
    pub fn builtin() -> &'static [Extractor] {
        &BUILTIN
    }

    /// A built-in extractor.
    pub fn named(name: &str) -> Option<&'static Extractor> {
        builtin_names().position(|known| known == name).map(builtin_at)
    }

    /// The default extractor: `strata`.
    pub fn default_builtin() -> &'static Extractor {
        builtin_at(0)
    }

    /// An extractor without any steps yet, which finds no content.
    pub fn new(name: impl Into<String>) -> Extractor {
        Extractor { name: name.into(), ..Extractor::default() }
    }

    /// Adds a step at the end.
    pub fn step(mut self, step: impl Into<Step>) -> Extractor {
        self.steps.push(step.into());
        self
    }

    /// Reads and extracts a page.
    pub fn extract(&self, page: &[u8]) -> Document {
        self.extract_with(page, &Options::default())
    }

    /// Reads a page with these options and extracts it.
    pub fn extract_with(&self, page: &[u8], options: &Options) -> Document {
        self.extract_page(page, options).document
    }

    /// Reads and extracts a page, and returns its tree, too. Where fewer than ten words are found, and
    /// this extractor has others to fall back to, the first of them that finds more is used, and
    /// [`Document::extractor`] names it.
    pub fn extract_page<'a>(&self, page: &'a [u8], options: &Options) -> Page<'a> {
        let mut page = Page::read(page, self.cutting, options);
        self.apply_to(&mut page, options);
        page
    }

    /// Applies the steps to a page that was read with this extractor's cutting and, where they find fewer
    /// than ten words, those of the extractors that it falls back to. After the page's deadline nothing
    /// else is tried.
    pub fn apply_to(&self, page: &mut Page<'_>, options: &Options) {
        self.apply(&mut page.document);
        if page.document.has_few_words() && !page.document.limits().has(Limit::Deadline) {
            self.fall_back(page, options);
        }
    }

    /// Splits the extractor in two: the steps before the first one that looks at the site
    /// ([`Document::site`]), and that one with all that follow. Both have its name, the second its
    /// fallbacks.
    pub fn split_at_site(&self) -> (Extractor, Extractor) {
        let mut first = self.clone();
        let asks = |step: &Step| step.filter().asks_for_site();
        let at = self.steps.iter().position(asks).unwrap_or(self.steps.len());
        let steps = first.steps.split_off(at);
        first.fallback.clear();
        (first, Extractor { steps, ..self.clone() })
    }

    /// Does a step look at [`Document::site`]? Then other pages of the site help.
    pub fn asks_for_site(&self) -> bool {
        !self.split_at_site().1.steps.is_empty()
    }

    /// Applies the first of the other extractors that finds more.
    pub(crate) fn fall_back(&self, page: &mut Page<'_>, options: &Options) {
        let fallbacks = self.fallback.iter().filter_map(|name| Extractor::named(name));
        let Document { page_type, confidence, .. } = page.document;
        for extractor in fallbacks {
            let first = page.cut_again(extractor.cutting, options);
            extractor.apply(&mut page.document);
            if !page.document.has_few_words() {
                // The type is still that of the page; how sure the first was, says nothing now.
                page.document.page_type = page_type;
                page.document.confidence = confidence.map(|_| 0.0);
                return;
            }
            // What it took is gone, whatever came of it.
            let clock = std::mem::take(&mut page.document.clock);
            page.document = Document { clock, ..first };
            if page.document.limits().has(Limit::Deadline) {
                return;
            }
        }
    }

    /// Applies the steps to a document. After the page's deadline no other step is begun.
    pub fn apply(&self, document: &mut Document) {
        document.clock.begin(Stage::Decide);
        for step in &self.steps {
            if document.clock.passed() {
                break;
            }
            step.apply(document);
        }
        document.clock.end();
        document.extractor.clone_from(&self.name);
    }

    /// The same extractor with another weight of recall: above 1 it keeps more doubtful blocks, below 1
    /// fewer. `None` if no step has such a weight.
    pub fn with_recall(&self, recall: f64) -> Option<Extractor> {
        let mut extractor = self.clone();
        let mut changed = false;
        for step in &mut extractor.steps {
            if let Some(weighed) = step.filter().with_recall(recall) {
                *step = weighed;
                changed = true;
            }
        }
        changed.then_some(extractor)
    }

    /// The same extractor with a model that was trained elsewhere, given as the bytes of its file. A
    /// model of `strata` is used by its step `keep-likely`, a model of `strata-max` by the same step where that asks
    /// a network, a model of `strata+site` by its step `keep-likely-on-site`; which of them it is, the file says.
    ///
    /// TOML cannot hold a model: [`Extractor::to_toml`] writes a comment in its place.
    ///
    /// # Errors
    ///
    /// Where the bytes are no whole model, the model was made for another version of the library, or
    /// no step of this extractor uses such a model. The error says in one line what to do.
    ///
    /// ```
    /// use webstrata::{ErrorKind, Extractor};
    ///
    /// let error = Extractor::default_builtin().with_model(b"name: my tree").unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::InvalidModel);
    /// ```
    pub fn with_model(&self, bytes: &[u8]) -> Result<Extractor, Error> {
        let model = LoadedModel::from_bytes(bytes)?;
        let mut extractor = self.clone();
        let mut used = false;
        for step in &mut extractor.steps {
            used |= model.give_to(step);
        }
        if !used {
            let (name, users) = (&self.name, model.users());
            let why = format!("the extractor `{name}` does not use such a model: take {users}");
            return Err(Error::new(why).of_kind(ErrorKind::UnusableModel));
        }
        Ok(extractor)
    }

    /// Applies the steps to a document and reports what each of them did.
    pub fn explain(&self, document: &mut Document) -> Vec<StepTrace> {
        document.clock.begin(Stage::Decide);
        let mut before = states(document);
        let mut traces = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            if !document.clock.passed() {
                step.apply(document);
            }
            let after = states(document);
            traces.push(StepTrace::between(step.filter(), &before, &after));
            before = after;
        }
        document.clock.end();
        document.extractor.clone_from(&self.name);
        traces
    }

    /// For each atom of the document, the index of the step that decided about it: the last one
    /// that made it content or stopped it being so; where none did, the first that could have kept
    /// it; `None` where there is no such step.
    pub fn decisions(traces: &[StepTrace], document: &Document) -> Vec<Option<usize>> {
        let refused = traces.iter().position(|trace| trace.verb.can_keep());
        let mut decisions = vec![refused; document.atoms.len()];
        for (index, trace) in traces.iter().enumerate() {
            for atom in trace.kept.iter().chain(&trace.dropped) {
                decisions[*atom] = Some(index);
            }
        }
        decisions
    }

    /// Reads an extractor from TOML. Models are built-in ones; to give paths of files, use
    /// [`Extractor::from_toml_with`].
    pub fn from_toml(text: &str) -> Result<Extractor, Error> {
        Extractor::from_toml_with(text, |_| Err("this extractor cannot read model files".into()))
    }

    /// Reads an extractor from TOML; where it names a model file (`*.tree` or `*.model`), `read`
    /// gives that file's text, or says why it cannot. The library itself reads no files.
    pub fn from_toml_with(
        text: &str,
        mut read: impl FnMut(&str) -> Result<String, String>,
    ) -> Result<Extractor, Error> {
        let line_of = |offset: usize| 1 + text[..offset].matches('\n').count();
        let written: Written = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_of(span.start));
            Error::at(line, error.message()).of_kind(ErrorKind::Syntax)
        })?;
        let mut steps = Vec::with_capacity(written.steps.len());
        for (number, step) in (1..).zip(written.steps) {
            let step = read_step(&step, &mut read).map_err(|wrong| {
                let filter = wrong.filter.map_or(String::new(), |name| format!(" ({name})"));
                let place = format!("step {number}{filter}: {}", wrong.message);
                Error::at(line_of(wrong.offset), place).of_kind(wrong.kind)
            })?;
            steps.push(step);
        }
        let Written { name, about, paper, cutting, fallback, .. } = written;
        if let Some(unknown) = fallback.iter().find(|name| !builtin_names().any(|n| n == **name)) {
            return Err(Error::unknown("extractor to fall back to", unknown, builtin_names()));
        }
        Ok(Extractor { name, about, paper, cutting, steps, fallback })
    }

    /// The extractor as TOML, a line a step, which [`Extractor::from_toml`] reads back.
    ///
    /// TOML cannot hold a filter of the program's own. It is written as `{ filter = "own", name = "…" }`,
    /// and [`Extractor::from_toml`] refuses that line. TOML cannot hold a model that was loaded either: a
    /// comment says that there was one, with a number that tells models apart.
    pub fn to_toml(&self) -> String {
        let cutting = Value::try_from(self.cutting).expect("an enum of names");
        let mut toml = String::new();
        for (key, value) in [("name", &self.name), ("about", &self.about), ("paper", &self.paper)] {
            // Writing to a string cannot fail.
            let _ = writeln!(toml, "{key} = {}", Value::from(value.as_str()));
        }
        let _ = writeln!(toml, "cutting = {cutting}\nsteps = [");
        for step in &self.steps {
            let name = if matches!(step, Step::Own(_)) { OWN } else { step.name() };
            let _ = write!(toml, "  {{ filter = \"{name}\"");
            for (key, value) in parameters(step) {
                let _ = write!(toml, ", {key} = {value}");
            }
            toml.push_str(" },");
            if let Some(fingerprint) = loaded::fingerprint(step) {
                let _ = write!(toml, " # with a model that was loaded: {fingerprint:016x}");
            }
            toml.push('\n');
        }
        toml.push_str("]\n");
        if !self.fallback.is_empty() {
            let names: Vec<Value> = self.fallback.iter().map(|name| name.clone().into()).collect();
            let _ = writeln!(toml, "fallback = {}", Value::from(names));
        }
        toml
    }
}

/// Where an atom stands between two steps.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Removed,
    Boilerplate,
    Content,
}

fn states(document: &Document) -> Vec<State> {
    let mut states = vec![State::Removed; document.atoms.len()];
    for block in &document.blocks {
        let state = if block.is_content { State::Content } else { State::Boilerplate };
        block.atoms().for_each(|atom| states[atom] = state);
    }
    states
}

impl StepTrace {
    fn between(filter: &dyn Filter, before: &[State], after: &[State]) -> StepTrace {
        let where_it = |holds: fn(State, State) -> bool| -> Vec<usize> {
            let changes = before.iter().zip(after).enumerate();
            changes.filter(|(_, (b, a))| holds(**b, **a)).map(|(atom, _)| atom).collect()
        };
        StepTrace {
            step: filter.name(),
            verb: filter.verb(),
            kept: where_it(|b, a| b != State::Content && a == State::Content),
            dropped: where_it(|b, a| b == State::Content && a != State::Content),
            removed: where_it(|b, a| b != State::Removed && a == State::Removed),
        }
    }
}

/// An extractor as written, its steps still to be understood one by one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    #[serde(default)]
    about: String,
    #[serde(default)]
    paper: String,
    #[serde(default)]
    cutting: Cutting,
    steps: Vec<Spanned<WrittenStep>>,
    #[serde(default)]
    fallback: Vec<String>,
}

type WrittenStep = BTreeMap<Spanned<String>, Spanned<Value>>;

/// What is wrong with a step, and where in the text.
struct Wrong {
    kind: ErrorKind,
    offset: usize,
    /// The filter, where it is known.
    filter: Option<&'static str>,
    message: String,
}

fn read_step(
    written: &Spanned<WrittenStep>,
    read: &mut impl FnMut(&str) -> Result<String, String>,
) -> Result<Step, Wrong> {
    let fields = written.get_ref();
    let (name_at, name) = match fields.get("filter").map(|name| (name.span(), name.get_ref())) {
        Some((at, Value::String(name))) => (at.start, name),
        Some((at, _)) => {
            let message = "`filter` is a string".into();
            let (kind, offset) = (ErrorKind::InvalidValue, at.start);
            return Err(Wrong { kind, offset, filter: None, message });
        }
        None => {
            let message = "expected `filter = \"…\"`, the name of a filter".into();
            let (kind, offset) = (ErrorKind::Syntax, written.span().start);
            return Err(Wrong { kind, offset, filter: None, message });
        }
    };
    if name == OWN {
        let own = fields.get("name").and_then(|name| name.get_ref().as_str()).unwrap_or(OWN);
        let message = format!(
            "`{own}` is a filter of a program's own, which TOML cannot hold: add it in the program, \
             with `Extractor::step`"
        );
        let (kind, offset) = (ErrorKind::UnknownName, name_at);
        return Err(Wrong { kind, offset, filter: None, message });
    }
    let Some(mut step) = Step::named(name) else {
        let (kind, message) = (ErrorKind::UnknownName, unknown_filter(name));
        return Err(Wrong { kind, offset: name_at, filter: None, message });
    };
    let filter = step.name();
    let wrong = |kind, offset, message| Wrong { kind, offset, filter: Some(filter), message };
    let known = parameters(&step);
    let mut table = Table::new();
    table.insert("filter".into(), filter.into());
    // One by one, so that an error can be put down to its line.
    for (key, value) in fields.iter().filter(|(key, _)| key.get_ref() != "filter") {
        if !known.contains_key(key.get_ref()) {
            let message = unknown_parameter(key.get_ref(), &known);
            return Err(wrong(ErrorKind::UnknownName, key.span().start, message));
        }
        let at = value.span().start;
        match (&mut step, value.get_ref()) {
            (Step::Classify(classify), Value::String(path)) if BlockModel::is_path(path) => {
                *classify = classify_by_file(path, read)
                    .map_err(|(kind, message)| wrong(kind, at, message))?;
            }
            (default, value) => {
                let names = matches!(default, Step::Classify(_)) && value.is_str();
                let kind = if names { ErrorKind::UnknownName } else { ErrorKind::InvalidValue };
                table.insert(key.get_ref().clone(), value.clone());
                step = Step::deserialize(table.clone()).map_err(|error| {
                    wrong(kind, at, format!("`{}`: {}", key.get_ref(), error.message()))
                })?;
            }
        }
    }
    Ok(step)
}

fn classify_by_file(
    path: &str,
    read: &mut impl FnMut(&str) -> Result<String, String>,
) -> Result<Classify, (ErrorKind, String)> {
    let text =
        read(path).map_err(|error| (ErrorKind::UnreadableFile, format!("`{path}`: {error}")))?;
    let model =
        BlockModel::parse(&text).map_err(|error| (error.kind(), format!("`{path}`: {error}")))?;
    Ok(Classify { model: model.with_path(path) })
}

/// What filters of a program's own are called in TOML.
const OWN: &str = "own";

/// The parameters of a step and their values.
fn parameters(step: &Step) -> Table {
    let mut table = Table::try_from(step).expect("filters are tables of plain values");
    table.remove("filter");
    table
}

fn unknown_filter(name: &str) -> String {
    let steps = || Step::names().iter().filter_map(|name| Step::named(name));
    match steps().find(|step| step.aliases().contains(&name)) {
        Some(step) => format!("boilerpipe's `{name}` is called `{}` here", step.name()),
        None => Error::unknown("filter", name, Step::names().iter().copied()).to_string(),
    }
}

fn unknown_parameter(name: &str, known: &Table) -> String {
    let known = || known.keys().map(String::as_str);
    match (known().next(), nearest(name, known())) {
        (None, _) => format!("unknown field `{name}`, the filter has no parameters"),
        (_, Some(near)) => {
            format!("unknown field `{name}`, did you mean `{near}`? All: {}", quoted(known()))
        }
        (_, None) => format!("unknown field `{name}`, expected one of {}", quoted(known())),
    }
}
