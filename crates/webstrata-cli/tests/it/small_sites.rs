//! Invented sites that the tests of both programs read: pages with a template, and links between pages.

/// The subjects of invented articles, each with a sentence that no other has.
pub(crate) const SUBJECTS: [(&str, &str); 12] = [
    (
        "Breakwater",
        "The breakwater was mended with stones that two barges brought up from the old quarry.",
    ),
    (
        "Choir",
        "Nobody in the choir had noticed that the organ was tuned a quarter of a tone too low.",
    ),
    (
        "Ferry",
        "From Monday on the ferry leaves at seven, because the mail boat needs the pier at eight.",
    ),
    (
        "Gulls",
        "A pair of gulls has nested on the roof of the harbour office for the ninth year in a row.",
    ),
    (
        "Lamp",
        "The lamp at the end of the mole burns with a bulb that can only be bought abroad by now.",
    ),
    (
        "Nets",
        "Fishermen dry their nets on the football field again, which the club has asked them not to do.",
    ),
    (
        "Oysters",
        "Oysters from the northern bank may be sold again after the water was found to be clean.",
    ),
    (
        "Pilot",
        "Our last pilot has brought his three thousandth ship past the sandbank without any damage.",
    ),
    (
        "Rain",
        "More rain fell on Tuesday than in the whole of the month before, and the cellars are full.",
    ),
    (
        "School",
        "The school has a new teacher, who crosses over from the mainland on every working day.",
    ),
    (
        "Tides",
        "High water at the bar comes half an hour later than the table that hangs at the window says.",
    ),
    (
        "Wreck",
        "Divers have found the wreck of a lugger that nobody on the island remembers the name of.",
    ),
];

/// A page of a site: its article, between texts that all pages of the site have.
pub(crate) fn page(site: &str, number: usize) -> String {
    let (subject, sentence) = SUBJECTS[number];
    format!(
        "<!doctype html><html lang=en><title>{subject} | {site}</title><nav><a href=/>Home</a></nav>\
         <div class=post><h1>{subject}</h1><p class=by>Written by the editors of {site}.</p>\
         <div class=text><p>{sentence}</p><p>{subject} will be the subject of the next meeting, too, said the mayor, \
         who does not like to leave things as they are.</p></div>\
         <div class=notice><p>{site} is written by people who live here. If you like what we write, tell your \
         friends about it, and let us know what we should write about next.</p></div></div>\
         <footer>Imprint</footer>"
    )
}

/// Its main text.
pub(crate) fn text(number: usize) -> String {
    let (subject, sentence) = SUBJECTS[number];
    format!(
        "{sentence}\n{subject} will be the subject of the next meeting, too, said the mayor, who does not like to \
         leave things as they are.\n"
    )
}

/// It as a line of a recorded stream.
pub(crate) fn line(
    id: &str,
    url: &str,
    number: usize,
    site: &str,
    duplicate_of: Option<&str>,
) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\\\"").replace('\n', "\\n"));
    let original = duplicate_of.map_or("null".to_owned(), quoted);
    format!(
        "{{\"id\":{},\"response_url\":{},\"feed_title\":{},\"published\":\"2026-11-{:02}T08:00:00Z\",\"html\":{},\
         \"gold_text\":{},\"duplicate_of\":{original}}}\n",
        quoted(id),
        quoted(url),
        quoted(SUBJECTS[number].0),
        number + 1,
        quoted(&page(site, number)),
        quoted(&text(number)),
    )
}

/// A harbour with a menu on every page, a museum that texts refer to, and a tool that every page names.
pub(crate) fn pairs() -> String {
    let mut lines = String::new();
    for page in 0..12 {
        let from = format!("https://harbour.example/{page:02}");
        let mut link = |to: &str, place: &str| lines.push_str(&format!("{from}\t{to}\t{place}\n"));
        link("https://harbour.example/", "boilerplate");
        link("https://harbour.example/contact", "boilerplate");
        link("https://tool.example/", "boilerplate");
        if page % 3 == 0 {
            link("https://museum.example/tides", "content");
            link(&format!("https://harbour.example/{:02}", page + 1), "content");
        }
    }
    lines.push_str("https://museum.example/tides\thttps://harbour.example/03\tcontent\n");
    lines
}
