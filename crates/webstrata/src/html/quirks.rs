//! Which document types put a page into quirks mode. For the tree this decides one thing: whether
//! `<table>` closes an open `<p>`.

/// Public identifiers that mean quirks if the page's begins with one (the spec's table).
const PREFIXES: &[&str] = &[
    "+//silmaril//dtd html pro v0r11 19970101//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//ietf//dtd html",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0 html",
    "-//microsoft//dtd internet explorer 2.0 tables//",
    "-//microsoft//dtd internet explorer 3.0 html",
    "-//microsoft//dtd internet explorer 3.0 tables//",
    "-//netscape comm. corp.//dtd html//",
    "-//netscape comm. corp.//dtd strict html//",
    "-//o'reilly and associates//dtd html 2.0//",
    "-//o'reilly and associates//dtd html extended 1.0//",
    "-//o'reilly and associates//dtd html extended relaxed 1.0//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//sun microsystems corp.//dtd hotjava html//",
    "-//sun microsystems corp.//dtd hotjava strict html//",
    "-//w3c//dtd html 3 1995-03-24//",
    "-//w3c//dtd html 3.2",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental 19960712//",
    "-//w3c//dtd html experimental 970421//",
    "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html 2.0//",
    "-//webtechs//dtd mozilla html//",
];

/// Is a page with this document type (the text between `<!doctype` and `>`) in quirks mode?
pub(crate) fn is_quirky(doctype: &str) -> bool {
    // Real ones are short; an attacker's needs no answer.
    let doctype: String = doctype.chars().take(512).collect::<String>().to_ascii_lowercase();
    let rest = doctype.trim_start();
    let name_length = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(name_length);
    if name != "html" {
        return true;
    }
    let rest = rest.trim_start();
    let (public, system) = if let Some(rest) = rest.strip_prefix("public") {
        let Some((public, rest)) = quoted(rest) else { return true };
        (Some(public), quoted(rest).map(|(system, _)| system))
    } else if let Some(rest) = rest.strip_prefix("system") {
        let Some((system, _)) = quoted(rest) else { return true };
        (None, Some(system))
    } else {
        return !rest.is_empty();
    };
    if system == Some("http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd") {
        return true;
    }
    let Some(public) = public else { return false };
    let transitional = ["-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//"];
    matches!(
        public,
        "-//w3o//dtd w3 html strict 3.0//en//" | "-/w3c/dtd html 4.0 transitional/en" | "html"
    ) || PREFIXES.iter().any(|prefix| public.starts_with(prefix))
        || (system.is_none() && transitional.iter().any(|prefix| public.starts_with(prefix)))
}

/// The next quoted string and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    text[1..].split_once(quote)
}

#[cfg(test)]
mod tests {
    use super::is_quirky;

    #[test]
    fn quirks_follow_the_document_type() {
        for (doctype, quirky) in [
            (" html", false),
            ("", true),
            (" svg", true),
            (
                " html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" \"http://x/xhtml1.dtd\"",
                false,
            ),
            (" HTML PUBLIC '-//W3C//DTD HTML 4.01 Transitional//EN'", true),
            (" HTML PUBLIC '-//W3C//DTD HTML 4.01 Transitional//EN' 'http://x/loose.dtd'", false),
            (" html public \"-//IETF//DTD HTML 2.0//EN\"", true),
            (" html SYSTEM \"about:legacy-compat\"", false),
            (" html PUBLIC", true),
        ] {
            assert_eq!(is_quirky(doctype), quirky, "{doctype}");
        }
    }
}
