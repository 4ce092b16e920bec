//! The study as a page to look at.

use crate::report::{Align, Section, Table};
use crate::{Chart, Report};

use super::{Followed, Role, Study};
use crate::links::compare::top;
use webstrata_links::links::Stratum;

/// Lengths of the lists of the best pages that are compared.
const TOPS: [usize; 3] = [10, 100, 1000];

/// Pages in the lists side by side.
const LISTED: usize = 15;

/// Pages that are listed as those that fall or rise most.
const MOVED: usize = 10;

/// Steps of the share of boilerplate.
const STEPS: usize = 10;

impl Study {
    /// A report, given the names of pages.
    pub fn report(&self, graph: &str, name: impl Fn(usize) -> String) -> Report {
        let count = self.roles.len();
        Report::new("Where links stand")
            .about(
                "Pages ranked by all links, by those in main texts, by those in boilerplate, and by a surfer who first \
                 chooses the kind of link.",
            )
            .fact("graph", graph)
            .fact("pages", count.to_string())
            .fact("links", self.links.iter().sum::<u64>().to_string())
            .section(self.kinds())
            .section(self.rankings())
            .section(self.who_gains())
            .section(self.best(&name))
    }

    fn kinds(&self) -> Section {
        let all: u64 = self.links.iter().sum();
        let mut table = Table::new("Links by side and place")
            .column("", Align::Left)
            .column("main text", Align::Right)
            .column("boilerplate", Align::Right);
        for (side, external) in [("inside of the host", false), ("to other hosts", true)] {
            let cell = |boilerplate| {
                let links = self.links[Stratum::new(external, boilerplate).index()];
                format!("{links} ({})", percent(links as f64 / all.max(1) as f64))
            };
            table = table.row([side.to_owned(), cell(false), cell(true)]);
        }
        let text = format!(
            "The thesis asks to what extent links inside of a site go with navigational text (5.3). As a correlation of \
             both properties (φ), where 1 is the same and 0 is nothing: {:.3}.",
            self.correlation()
        );
        Section::new("Both kinds of links, both kinds of text").text(text).table(table)
    }

    fn rankings(&self) -> Section {
        let mut table = Table::new("How alike the rankings are")
            .column("against all links", Align::Left)
            .column("Kendall's tau-b", Align::Right);
        for count in TOPS {
            table = table.column(format!("of the best {count}"), Align::Right);
        }
        for followed in Followed::ALL.into_iter().skip(1) {
            let mut row = vec![
                followed.name().to_owned(),
                format!("{:.3}", self.kendall(Followed::All, followed)),
            ];
            for count in TOPS {
                row.push(percent(self.top(Followed::All, followed, count).overlap()));
            }
            table = table.row(row);
        }
        Section::new("All links and some").text("Over the pages that links lead to.").table(table)
    }

    fn who_gains(&self) -> Section {
        let standings = Followed::ALL.map(|followed| self.standings(followed));
        let mut section = Section::new("Who gains, who falls").text(
            "Pages by what leads to them: boilerplate of at least half of the pages of a site is a menu or a footer. \
             Places are parts of all pages, 0 is the best.",
        );
        let mut table = Table::new("Pages by what leads to them")
            .column("what leads to a page", Align::Left)
            .column("pages", Align::Right);
        for followed in Followed::ALL {
            table = table
                .column(format!("rank: {}", followed.name()), Align::Right)
                .column("median place", Align::Right)
                .column("of the best 100", Align::Right);
        }
        let mut chart = Chart::bars("The best hundred pages").x_label("pages");
        for (at, role) in Role::ALL.into_iter().enumerate() {
            let mut row = vec![role.name().to_owned(), standings[0][at].pages.to_string()];
            for (followed, standings) in Followed::ALL.into_iter().zip(&standings) {
                let standing = standings[at];
                row.push(percent(standing.rank));
                row.push(format!("{:.3}", standing.median_place));
                row.push(standing.in_top.to_string());
                chart = chart.bar_in(followed.name(), role.name(), standing.in_top as f64);
            }
            table = table.row(row);
        }
        let moves: Vec<(f64, f64)> = self
            .by_boilerplate(STEPS)
            .into_iter()
            .enumerate()
            .filter(|(_, (pages, _))| *pages > 0)
            .map(|(step, (_, rise))| ((step as f64 + 0.5) / STEPS as f64, rise))
            .collect();
        let lines = Chart::lines("Places gained by content links")
            .series("mean of the pages", moves)
            .x_label("share of boilerplate among the links to a page")
            .y_label("places gained, as a part of all");
        section = section.table(table).figure("By what leads to them.", &chart);
        section
            .figure("The more of what leads to a page is boilerplate, the more it falls.", &lines)
    }

    fn best(&self, name: &impl Fn(usize) -> String) -> Section {
        let mut lists = Table::new("The best pages").column("", Align::Right);
        let shown = [Followed::All, Followed::Content];
        for followed in shown {
            lists = lists.column(followed.name(), Align::Left).column("by", Align::Left);
        }
        let tops = shown.map(|followed| top(&self.ranks[followed as usize], LISTED));
        for place in 0..tops[0].len() {
            let mut row = vec![(place + 1).to_string()];
            for list in &tops {
                row.push(name(list[place]));
                row.push(self.roles[list[place]].name().to_owned());
            }
            lists = lists.row(row);
        }
        let mut section = Section::new("Top lists").table(lists);
        for (title, sign) in [("Those that fall most", -1.0), ("Those that rise most", 1.0)] {
            let rises = self.rises(sign);
            let mut table = Table::new(title)
                .column("page", Align::Left)
                .column("led to by", Align::Left)
                .column("place by all links", Align::Right)
                .column("by content links", Align::Right);
            for (page, [all, content]) in rises {
                let role = self.roles[page].name().to_owned();
                table = table.row([name(page), role, place(all), place(content)]);
            }
            section = section.table(table);
        }
        section
    }

    /// The pages among the best of either ranking whose place changes by the largest factor, up or down.
    fn rises(&self, sign: f64) -> Vec<(usize, [f64; 2])> {
        let [all, content] =
            [Followed::All, Followed::Content].map(|followed| self.places(followed));
        let rise = |page: usize| sign * ((all[page] + 1.0) / (content[page] + 1.0)).ln();
        let among_best = |page: &usize| all[*page].min(content[*page]) < TOPS[1] as f64;
        let mut pages: Vec<usize> =
            (0..all.len()).filter(among_best).filter(|page| rise(*page) > 0.0).collect();
        pages.sort_by(|a, b| rise(*b).total_cmp(&rise(*a)).then(a.cmp(b)));
        pages.truncate(MOVED);
        pages.into_iter().map(|page| (page, [all[page], content[page]])).collect()
    }
}

/// As people count, from 1.
fn place(place: f64) -> String {
    format!("{:.0}", place + 1.0)
}

fn percent(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}
