//! The tokenizer of pieces: words with each of their keys behind them.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use super::END;
use crate::tokens::{Places, fold};

/// Cuts pieces, each of which begins with its keys, into words with keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pieces;

impl Tokenizer for Pieces {
    type TokenStream<'a> = PieceStream<'a>;

    fn token_stream<'a>(&'a mut self, piece: &'a str) -> PieceStream<'a> {
        let (keys, text) = piece.split_once(END).unwrap_or(("", ""));
        PieceStream {
            keys,
            text,
            places: Places::new(text),
            left: "",
            word: 0,
            token: Token::default(),
        }
    }
}

/// The words of one piece.
pub(crate) struct PieceStream<'a> {
    keys: &'a str,
    text: &'a str,
    places: Places<'a>,
    /// The keys that this word does not have been given yet.
    left: &'a str,
    /// Bytes of the word and the end behind it, in the token.
    word: usize,
    token: Token,
}

impl TokenStream for PieceStream<'_> {
    fn advance(&mut self) -> bool {
        if self.left.is_empty() {
            let Some(place) = self.places.next() else { return false };
            fold(&self.text[place], &mut self.token.text);
            self.token.text.push(END);
            self.word = self.token.text.len();
            self.token.position = self.token.position.wrapping_add(1);
            self.left = self.keys;
        }
        let Some((key, left)) = self.left.split_at_checked(2) else { return false };
        self.token.text.truncate(self.word);
        self.token.text.push_str(key);
        self.left = left;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
