//! See [`RefinedWebLines`].

use super::{Candidate, Filter, Verdict, check_share, share};

filter! {
    /// The line rules of RefinedWeb (Penedo et al., 2023, appendix G.2): lines go that are mainly capital letters, only
    /// numbers, a counter (`3 likes`), a single word, or short and like a button (`Sign in`, `Read more…`, `items in
    /// cart`). If the words of these lines are more than 5 % of the text, the page goes. The paper has no number for
    /// "mainly" and only examples of the patterns: both are data here.
    RefinedWebLines = "refinedweb-lines" {
        /// The share of capital letters from which a line is mainly these.
        capitals: f64 = 0.5,
        /// The most words of a line that patterns are looked for in.
        short_line: usize = 10,
        /// What the line of a button begins with.
        begins: Vec<String> = ["sign-in", "sign in", "sign up", "log in"].map(String::from).to_vec(),
        /// What it ends with.
        ends: Vec<String> = ["read more...", "read more…", "read more"].map(String::from).to_vec(),
        /// What it has anywhere.
        has: Vec<String> = ["items in cart", "item in cart"].map(String::from).to_vec(),
        /// What is counted.
        counted: Vec<String> = COUNTED.map(String::from).to_vec(),
        /// The largest share of words in such lines.
        most: f64 = 0.05,
    }
}

const COUNTED: [&str; 8] = ["likes", "like", "shares", "share", "comments", "comment", "views", "followers"];

impl RefinedWebLines {
    fn check(&self) -> Result<(), String> {
        check_share("capitals", self.capitals)?;
        check_share("most", self.most)
    }

    fn goes(&self, line: &str) -> bool {
        let words = line.split_whitespace().count();
        if words == 0 {
            return false;
        }
        let letters = line.chars().filter(|c| c.is_alphabetic()).count();
        let capitals = line.chars().filter(|c| c.is_uppercase()).count();
        if words == 1 || letters == 0 && line.contains(char::is_numeric) || share(capitals, letters) > self.capitals {
            return true;
        }
        let lower = line.trim().to_lowercase();
        if let Some((number, what)) = lower.split_once(' ')
            && number.starts_with(|c: char| c.is_numeric())
            && number.chars().all(|c| c.is_numeric() || matches!(c, '.' | ',' | 'k' | 'm'))
            && self.counted.iter().any(|counted| counted == what.trim())
        {
            return true;
        }
        words <= self.short_line
            && (self.begins.iter().any(|part| lower.starts_with(part.as_str()))
                || self.ends.iter().any(|part| lower.ends_with(part.as_str()))
                || self.has.iter().any(|part| lower.contains(part.as_str())))
    }
}

impl Filter for RefinedWebLines {
    fn judge(&self, page: &mut Candidate) -> Verdict {
        let words = |text: &str| text.split_whitespace().count();
        let gone: usize = page.text().lines().filter(|line| self.goes(line)).map(words).sum();
        if gone == 0 {
            return Verdict::Keep;
        }
        if share(gone, words(page.text())) > self.most {
            return Verdict::Drop("lines");
        }
        let kept: Vec<&str> = page.text().lines().filter(|line| !self.goes(line)).collect();
        let mut text = kept.join("\n");
        // Empty lines that stood around a line that is gone.
        while text.contains("\n\n\n") {
            text = text.replace("\n\n\n", "\n\n");
        }
        page.set_text(text.trim().to_owned() + "\n");
        Verdict::Keep
    }
}
