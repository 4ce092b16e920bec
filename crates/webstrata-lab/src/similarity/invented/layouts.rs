//! Layouts as sites have them: the same text in each looks the same to a reader, and to nothing else.

use super::{Text, TextKind, Writer};

/// How many layouts there are.
pub const LAYOUTS: usize = 6;

/// A site: a layout, and the texts that all of its pages have.
#[derive(Clone, Debug)]
pub struct Site {
    layout: usize,
    name: String,
    menu: Vec<String>,
    notice: String,
    teasers: Vec<(String, String)>,
}

impl Site {
    /// A site of one of the [`LAYOUTS`].
    pub fn new(layout: usize, writer: &mut Writer) -> Site {
        let labels = 6 + 3 * (layout % LAYOUTS);
        let sentences = [1, 2, 2, 3, 2, 1][layout % LAYOUTS];
        let notice: Vec<String> = (0..sentences).map(|_| writer.sentence()).collect();
        Site {
            layout: layout % LAYOUTS,
            name: writer.label(),
            menu: (0..labels).map(|_| writer.label()).collect(),
            notice: notice.join(" "),
            teasers: (0..12).map(|_| (writer.title(), writer.sentence())).collect(),
        }
    }

    /// A page of this site. The writer adds what differs from page to page: related titles, comments.
    pub fn page(&self, text: &Text, writer: &mut Writer) -> String {
        let body = match self.layout {
            0 => self.tables(text, writer),
            1 => self.divisions(text, writer),
            2 => self.semantic(text, writer),
            3 => self.magazine(text, writer),
            4 => self.archive(text, writer),
            _ => self.plain(text),
        };
        format!(
            "<!doctype html><html><head><title>{} - {}</title></head><body>{body}</body></html>",
            text.title, self.name
        )
    }

    /// The nineties: tables in tables, fonts, and a menu of links between bars.
    fn tables(&self, text: &Text, writer: &mut Writer) -> String {
        let related = related(writer, 20, |title| format!("<a href=\"x\">{title}</a><br>"));
        format!(
            "<table width=\"100%\"><tr><td colspan=2><font size=5>{}</font></td></tr><tr><td colspan=2>{}</td></tr>\
             <tr><td width=160><b>{}</b><br>{related}</td><td><font face=arial><b>{}</b><br><br>{}</font></td></tr>\
             </table><hr><address>{}</address>",
            self.name,
            self.links(" | "),
            self.menu[0],
            text.title,
            self.broken(text),
            self.notice,
        )
    }

    /// Boxes for everything, with lists of links at both sides.
    fn divisions(&self, text: &Text, writer: &mut Writer) -> String {
        let related = related(writer, 30, |title| format!("<li><a href=\"x\">{title}</a></li>"));
        format!(
            "<div id=head><div class=logo>{}</div><ul>{}</ul></div><div id=left><h3>{}</h3><ul>{related}</ul></div>\
             <div id=main><div class=path>{}</div><h2>{}</h2><div class=text>{}</div></div>\
             <div id=foot><div>{}</div></div>",
            self.name,
            self.items(),
            self.menu[1],
            self.links(" &gt; "),
            text.title,
            self.paragraphs(text),
            self.notice,
        )
    }

    /// Elements by their meaning, with a picture and teasers that have a sentence each.
    fn semantic(&self, text: &Text, writer: &mut Writer) -> String {
        format!(
            "<header><p>{}</p><nav><ul>{}</ul></nav></header><main><article><h1>{}</h1><p><time>{} {}</time></p>\
             <figure><img src=\"x.jpg\"><figcaption>{}</figcaption></figure>{}</article>\
             <aside><h2>{}</h2>{}</aside></main><footer><p>{}</p></footer>",
            self.name,
            self.items(),
            text.title,
            writer.label(),
            writer.between(1, 31),
            writer.sentence(),
            self.paragraphs(text),
            self.menu[2],
            self.teasers(writer, 3),
            self.notice,
        )
    }

    /// Much besides the text: an advertisement in it, ways to share it, comments below it.
    fn magazine(&self, text: &Text, writer: &mut Writer) -> String {
        let comments: String = (0..writer.between(0, 5))
            .map(|_| {
                format!("<li><b>{}</b><span>{}</span></li>", writer.label(), writer.sentence())
            })
            .collect();
        let share = "<ul><li><a href=\"x\">Mail</a></li><li><a href=\"x\">Print</a></li></ul>";
        format!(
            "<div class=top><ul>{}</ul></div><div class=row><div class=col><h1>{}</h1><div class=by><span>{}</span></div>\
             {share}<div class=body>{}</div>{share}<h4>{}</h4><ol>{comments}</ol></div>\
             <div class=col><h4>{}</h4>{}</div></div><div class=end><p>{}</p><ul>{}</ul></div>",
            self.items(),
            text.title,
            writer.label(),
            self.interrupted(text),
            self.menu[3],
            self.menu[4],
            self.teasers(writer, 4),
            self.notice,
            self.items(),
        )
    }

    /// A collection: definitions about the text, the text in lines, a long list of others.
    fn archive(&self, text: &Text, writer: &mut Writer) -> String {
        let related = related(writer, 40, |title| format!("<li><a href=\"x\">{title}</a></li>"));
        let numbers: Vec<String> = (0..4).map(|_| writer.label()).collect();
        format!(
            "<div>{}</div><dl><dt>{}</dt><dd>{}</dd><dt>{}</dt><dd>{}</dd></dl><h1>{}</h1><div>{}</div>\
             <h3>{}</h3><ol>{related}</ol><div><small>{}</small></div>",
            self.links(" "),
            numbers[0],
            numbers[1],
            numbers[2],
            numbers[3],
            text.title,
            self.broken(text),
            self.menu[5],
            self.notice,
        )
    }

    /// Nearly nothing but the text.
    fn plain(&self, text: &Text) -> String {
        format!(
            "<p>{}</p><h1>{}</h1>{}<hr><p>{}</p><p>{}</p>",
            self.links(" · "),
            text.title,
            self.paragraphs(text),
            self.notice,
            self.name
        )
    }

    fn links(&self, between: &str) -> String {
        let links: Vec<String> =
            self.menu.iter().map(|label| format!("<a href=\"x\">{label}</a>")).collect();
        links.join(between)
    }

    fn items(&self) -> String {
        self.menu.iter().map(|label| format!("<li><a href=\"x\">{label}</a></li>")).collect()
    }

    /// Some of the site's teasers, others on each page.
    fn teasers(&self, writer: &mut Writer, count: usize) -> String {
        let first = writer.between(0, self.teasers.len() - 1);
        let teasers =
            (first..first + count).map(|teaser| &self.teasers[teaser % self.teasers.len()]);
        teasers
            .map(|(title, text)| format!("<h5><a href=\"x\">{title}</a></h5><p>{text}</p>"))
            .collect()
    }
}

impl Site {
    /// How the lines of a part follow each other: verses are broken, sentences are not.
    fn lines(&self, text: &Text, part: &[String]) -> String {
        match text.kind {
            TextKind::Song => part.join("<br>"),
            TextKind::Article => part.join(" "),
            TextKind::Emphasised => {
                let lines = part.iter().enumerate();
                lines.map(|(number, line)| self.marked(line, number)).collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// Sites emphasise different words of the same article, or none.
    fn marked(&self, line: &str, number: usize) -> String {
        let (tag, every) =
            [("b", 0), ("em", 2), ("strong", 3), ("span", 2), ("i", 4), ("b", 0)][self.layout];
        if every == 0 || !number.is_multiple_of(every) {
            return line.to_owned();
        }
        let mark = |(place, word): (usize, &str)| match place {
            2 => format!("<{tag}>{word}</{tag}>"),
            _ => word.to_owned(),
        };
        let words: Vec<String> = line.split(' ').enumerate().map(mark).collect();
        words.join(" ")
    }

    fn paragraphs(&self, text: &Text) -> String {
        let parts = text.parts.iter().map(|part| format!("<p>{}</p>", self.lines(text, part)));
        parts.collect()
    }

    fn broken(&self, text: &Text) -> String {
        let parts: Vec<String> = text.parts.iter().map(|part| self.lines(text, part)).collect();
        parts.join("<br><br>")
    }

    /// Paragraphs with a box between the first and the second.
    fn interrupted(&self, text: &Text) -> String {
        let (title, teaser) = &self.teasers[0];
        let advertisement =
            format!("</p><div class=ad><div>{title}</div><div>{teaser}</div></div>");
        self.paragraphs(text).replacen("</p>", &advertisement, 1)
    }
}

fn related(writer: &mut Writer, count: usize, item: impl Fn(&str) -> String) -> String {
    (0..count).map(|_| item(&writer.title())).collect()
}

#[cfg(test)]
mod tests {
    use webstrata::Options;
    use webstrata::cutting::Cutting;

    use super::*;

    #[test]
    fn every_layout_has_the_text_and_more() {
        let mut writer = Writer::new(3);
        for layout in 0..LAYOUTS {
            let site = Site::new(layout, &mut writer);
            for (kind, _) in TextKind::ALL {
                let text = writer.text(kind);
                let page = site.page(&text, &mut writer);
                let document =
                    webstrata::read(page.as_bytes(), Cutting::Boilerpipe, &Options::default());
                let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                let all: Vec<String> =
                    (0..document.atoms.len()).map(|atom| words(document.atom_text(atom))).collect();
                let all = all.join(" ");
                assert!(text.lines().all(|line| all.contains(line)), "layout {layout}");
                assert!(page.contains(&site.notice) && page.contains(&text.title));
            }
        }
    }
}
