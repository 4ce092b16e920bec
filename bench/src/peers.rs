//! The Rust peers: two extractors, then tokenizers and a tree builder alone.

use std::cell::Cell;
use std::hint::black_box;

use dom_query::Document;
use dom_smoothie::Readability;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, CharacterTokens, StartTag, Tag, TagToken, Token, TokenSink, TokenSinkResult,
    Tokenizer, TokenizerOpts,
};

use crate::html5gum_store::Store;
use crate::tools::Runner;

/// The peer of that name.
pub(crate) fn runner(name: &str) -> Option<Runner> {
    Some(match name {
        "dom_smoothie" => Box::new(|page| dom_smoothie(&page.text).unwrap_or(0)),
        "rs-trafilatura" => Box::new(|page| rs_trafilatura(&page.text)),
        "html5gum" => {
            let mut store = Store::default();
            Box::new(move |page| store.tokenize(&page.text))
        }
        "html5ever-tokenizer" => Box::new(|page| html5ever_tokens(&page.text)),
        "html5ever-tree" => Box::new(|page| html5ever_tree(&page.text)),
        _ => return None,
    })
}

fn dom_smoothie(html: &str) -> Option<usize> {
    let article = Readability::new(html, None, None).ok()?.parse().ok()?;
    Some(black_box(&article.text_content).len())
}

fn rs_trafilatura(html: &str) -> usize {
    rs_trafilatura::extract(html).map_or(0, |found| black_box(&found.content_text).len())
}

/// html5ever has no tree of its own: the one of `dom_query` is the one below `dom_smoothie`.
fn html5ever_tree(html: &str) -> usize {
    let document = Document::from(html);
    black_box(&document);
    html.len()
}

fn html5ever_tokens(html: &str) -> usize {
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(Counter::default(), TokenizerOpts::default());
    // A sink that never returns a script handle is fed in one call.
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink.text.get()
}

/// Adds up the text and looks at nothing else.
#[derive(Default)]
struct Counter {
    text: Cell<usize>,
}

impl TokenSink for Counter {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match black_box(token) {
            CharacterTokens(text) => self.text.set(self.text.get() + text.len()),
            TagToken(tag) => return next_state(&tag),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// The switch of state that a tree builder would ask for after a start tag.
fn next_state(tag: &Tag) -> TokenSinkResult<()> {
    if tag.kind != StartTag {
        return TokenSinkResult::Continue;
    }
    match &*tag.name {
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => {
            TokenSinkResult::RawData(RawKind::Rawtext)
        }
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "plaintext" => TokenSinkResult::Plaintext,
        _ => TokenSinkResult::Continue,
    }
}
