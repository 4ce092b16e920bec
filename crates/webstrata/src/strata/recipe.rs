//! Which blocks are the ingredients and steps of a recipe, as the page's linked data has them.
//!
//! A list of ingredients looks like a list of links or of goods: short lines, no sentences. Where the page itself says what its
//! recipe needs, nothing has to be guessed. Lines are found by their runs of three words, over the ends of blocks, since
//! pages often have amounts and names in elements of their own.

use serde_json::Value;

use super::tokens::{self, Token, TokenSet};
use crate::clock::{ATOMS_PER_CHECK, Steps};
use crate::document::Document;

/// How scripts of linked data name the lists.
pub(super) const INGREDIENTS: &str = "recipeIngredient";
const STEPS: &str = "recipeInstructions";

/// Words of recipes that are read on a page.
const MAX_WORDS: usize = 10_000;
/// The share of a block's words that has to stand in the recipe.
const SHARE: f32 = 0.6;
/// Words in a row that are looked for.
const RUN: usize = 3;

/// The lines of recipes in a page's data, as words.
#[derive(Default)]
pub(super) struct Recipe {
    lines: Vec<Vec<Token>>,
    words: usize,
}

impl Recipe {
    /// Adds the recipes in linked data.
    pub(super) fn read(&mut self, value: &Value) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.read(value)),
            Value::Object(fields) => {
                for (key, value) in fields {
                    match key.as_str() {
                        INGREDIENTS | STEPS => self.add_all(value),
                        _ => self.read(value),
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds all lines of a list: texts, or steps with texts, in sections or not.
    fn add_all(&mut self, value: &Value) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.add_all(value)),
            Value::Object(fields) => {
                let texts = ["text", "itemListElement"].iter().filter_map(|key| fields.get(*key));
                texts.for_each(|value| self.add_all(value));
            }
            Value::String(text) => text.lines().for_each(|line| self.add(line)),
            _ => {}
        }
    }

    /// Adds a line. Many programs escape texts for HTML before they write them as JSON.
    fn add(&mut self, line: &str) {
        let line = htmlize::unescape(line);
        let room = MAX_WORDS - self.words;
        let words: Vec<Token> = tokens::of_text(tokens::WORD, &line).take(room).collect();
        // An empty line would be found in every block without words.
        if words.is_empty() {
            return;
        }
        self.words += words.len();
        self.lines.push(words);
    }

    /// The blocks that are lines of the recipe; none where there is no recipe, or no time to look for it.
    pub(super) fn blocks(&self, document: &Document) -> Vec<u32> {
        if self.words == 0 {
            return Vec::new();
        }
        let runs = self.lines.iter().flat_map(|line| line.windows(RUN)).map(hash);
        let runs = TokenSet::of(runs);
        // Single words stand anywhere: such a line counts only beside others.
        let short = self.lines.iter().filter(|line| line.len() < RUN).map(|line| hash(line));
        let short = TokenSet::of(short);
        let mut words: Vec<Token> = Vec::new();
        let mut ends = Vec::with_capacity(document.atoms.len());
        let mut steps = Steps::default();
        for block in 0..document.atoms.len() {
            if steps.are_over(&document.clock, ATOMS_PER_CHECK) {
                return Vec::new();
            }
            words.extend(tokens::of_text(tokens::WORD, document.atom_text(block)));
            ends.push(words.len());
        }
        let mut found = vec![false; words.len()];
        for (at, run) in words.windows(RUN).enumerate() {
            if runs.has(hash(run)) {
                found[at..at + RUN].fill(true);
            }
        }
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let blocks: Vec<_> = starts.zip(&ends).map(|(start, end)| start..*end).collect();
        let is_line = |block: &std::ops::Range<usize>| {
            let own = found[block.clone()].iter().filter(|found| **found).count();
            own > 0 && own as f32 >= SHARE * block.len() as f32
        };
        let mut is_found: Vec<bool> = blocks.iter().map(is_line).collect();
        let is_short = |block: usize| short.has(hash(&words[blocks[block].clone()]));
        for block in 1..blocks.len() {
            is_found[block] |= is_found[block - 1] && is_short(block);
        }
        for block in (1..blocks.len()).rev() {
            is_found[block - 1] |= is_found[block] && is_short(block - 1);
        }
        (0..).zip(is_found).filter(|(_, is)| *is).map(|(block, _)| block).collect()
    }
}

/// Some words in their order, as one.
fn hash(words: &[Token]) -> Token {
    let step = |hash: Token, word: &Token| (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b1);
    words.iter().fold(words.len() as Token, step)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use proptest::prelude::*;

    use super::super::head::Head;
    use super::*;
    use crate::clock::Stage;
    use crate::cutting::Cutting;
    use crate::{Limits, Options, Page};

    /// The texts of the blocks that a recipe calls for.
    fn found(data: &str, markup: &str) -> Vec<String> {
        let page = Page::read(markup.as_bytes(), Cutting::Strata, &Options::default());
        let mut recipe = Recipe::default();
        recipe.read(&serde_json::from_str(data).expect("it is JSON"));
        let blocks = recipe.blocks(&page.document);
        blocks.iter().map(|block| page.document.atom_text(*block as usize).to_owned()).collect()
    }

    #[test]
    fn ingredients_and_steps_are_found() {
        let data = r#"{"@graph": [{"@type": "Recipe", "name": "Tar for old boats",
            "recipeIngredient": ["2 buckets of pine tar", "1 cup linseed oil", "salt", "3 &frac12; spoons of chalk"],
            "recipeInstructions": [{"@type": "HowToSection", "name": "First", "itemListElement": [
                {"@type": "HowToStep", "text": "Warm the tar\n\nStir in the oil and the chalk."}]}]}]}"#;
        let page = "<ul><li>Salt<li>Our boats</ul><h1>Tar for old boats</h1>
            <li><div>2 buckets</div> <div>of pine tar</div><li>1 cup Linseed oil (raw)<li>Salt<li>3 ½ spoons of chalk
            <p>Warm the tar, slowly.<p>•<p>Stir in the oil and the chalk.<p>The oil smells of summer and of old boats.";
        let lines = [
            "2 buckets",
            "of pine tar",
            "1 cup Linseed oil (raw)",
            "Salt",
            "3 ½ spoons of chalk",
            "Warm the tar, slowly.",
            "Stir in the oil and the chalk.",
        ];
        assert_eq!(found(data, page), lines);
    }

    #[test]
    fn other_data_calls_for_nothing() {
        let page = "<p>One cup linseed oil is enough for the boat.<p>Salt";
        for data in [
            r#"{"@type": "Article", "articleBody": "One cup linseed oil is enough for the boat."}"#,
            r#"{"recipeIngredient": []}"#,
            r#"{"recipeIngredient": ["salt"]}"#,
            r#"{"recipeIngredient": {"name": "One cup linseed oil"}}"#,
            r#"{"recipeIngredient": [7, null, {"text": 8}]}"#,
        ] {
            assert_eq!(found(data, page), [""; 0], "{data}");
        }
    }

    #[test]
    fn data_that_is_no_json_is_repaired() {
        let page = r#"<script type="application/ld+json">/* <![CDATA[ */ {"@type": "Recipe", "recipeIngredient": [
            "2 buckets of pine tar",], } /* ]]> */</script><p>2 buckets of pine tar<p>The oil smells of summer."#;
        let page = Page::read(page.as_bytes(), Cutting::Strata, &Options::default());
        let observations = page.document.observations.expect("it is observed");
        assert_eq!(observations.recipe(), [0]);
    }

    #[test]
    fn recipes_are_looked_for_while_there_is_time() {
        thread_local! {
            static NOW: Cell<Duration> = const { Cell::new(Duration::ZERO) };
        }
        let limits = Limits {
            deadline: Some(Duration::from_secs(8)),
            clock: || NOW.get(),
            ..Limits::default()
        };
        let markup = r#"<script type="application/ld+json">{"recipeIngredient": ["2 buckets of tar"]}</script>
            <p>2 buckets of tar"#;
        let options = Options { limits, ..Options::default() };
        let mut page = Page::read(markup.as_bytes(), Cutting::Strata, &options);
        page.document.clock.begin(Stage::Decide);
        let head = Head::of(&page.tree, &page.document.clock);
        assert_eq!(head.recipe.blocks(&page.document), [0]);
        NOW.set(Duration::from_secs(9));
        assert!(head.recipe.blocks(&page.document).is_empty());
        assert_eq!(Head::of(&page.tree, &page.document.clock).recipe.words, 0);
        assert!(page.document.clock.is_late());
    }

    #[test]
    fn no_recipe_is_read_without_end() {
        let line = "word ".repeat(MAX_WORDS);
        let mut recipe = Recipe::default();
        recipe.read(&serde_json::json!({ "recipeIngredient": [line, line] }));
        assert_eq!((recipe.words, recipe.lines.len()), (MAX_WORDS, 1));
    }

    proptest! {
        /// A block of three words and more is found where most of its words lie in runs of three that a line has.
        #[test]
        fn runs_are_those_of_lines(
            lines in prop::collection::vec(prop::collection::vec("[a-d]", 3..6), 1..4),
            block in prop::collection::vec("[a-d]", 3..9),
        ) {
            let texts: Vec<String> = lines.iter().map(|line| line.join(" ")).collect();
            let data = serde_json::json!({ "recipeIngredient": texts }).to_string();
            let mut inside = vec![false; block.len()];
            for at in 0..=block.len() - RUN {
                let run = &block[at..at + RUN];
                if lines.iter().any(|line| line.windows(RUN).any(|own| own == run)) {
                    inside[at..at + RUN].fill(true);
                }
            }
            let count = inside.iter().filter(|inside| **inside).count();
            let expected = count > 0 && count as f32 >= SHARE * block.len() as f32;
            prop_assert_eq!(!found(&data, &format!("<p>{}", block.join(" "))).is_empty(), expected);
        }
    }
}
