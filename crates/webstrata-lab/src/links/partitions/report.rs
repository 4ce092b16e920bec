//! Figures 3.1 to 3.6 and Tables 3.1 and 3.2, of a made-up web.

use webstrata_base::thousands;
use webstrata_links::InLinks;
use webstrata_links::graph::stats::{DotPlot, Stats};
use webstrata_links::rank::{ByHosts, Grouping};

use super::{DOMAINS, ENOUGH, FOOTERS, JOINED, Measured, SURFERS, Study, THESIS_PARTITIONS};
use crate::Chart;
use crate::plot::{Lines, Mark, Raster};
use crate::report::{Align, Compared, Comparison, Report, Section, Table};

/// Cells of a side of a dot-plot.
const SIDE: usize = 160;

impl Study {
    /// Everything as tables and figures.
    pub fn report(&self) -> Report {
        let stats = Stats::of(&self.graph);
        let [inside, between, ..] = stats.links.by_stratum().map(|links| links as f64);
        let links = inside + between;
        let report = Report::new("Partitioned PageRank")
            .about(
                "The experiments of the thesis' section 3.2.3 on a made-up web: hosts with a power law of sizes, \
                 seven top-level domains. The thesis ranks LargeWeb, 62.8 million pages of which 6.19 % of the links \
                 are between hosts, in eight partitions.",
            )
            .fact("pages", thousands(stats.pages))
            .fact("hosts", thousands(stats.hosts))
            .fact("links", thousands(stats.links.total()))
            .fact("links between hosts", format!("{:.2} %", 100.0 * between / links.max(1.0)));
        report
            .section(self.structure())
            .section(self.groupings())
            .section(self.convergence())
            .section(self.times())
            .section(self.joining())
    }

    fn plot(&self, title: &str, plot: &DotPlot) -> Chart<Raster> {
        Chart::raster(title, plot.side, plot.shades()).x_label("from").y_label("to")
    }

    /// Figures 3.1 and 3.2.
    fn structure(&self) -> Section {
        let com = |host: usize, _: usize| DOMAINS[self.web.domains[host]].0 == "com";
        let (com, _) = self.web.graph_of(com);
        let mut plots = vec![
            self.plot("Figure 3.1a: hosts by name", &DotPlot::as_is(&self.graph, SIDE)),
            self.plot("Figure 3.1b: .com alone", &DotPlot::as_is(&com, SIDE)),
            self.plot("Figure 3.1c: hosts in any order", &DotPlot::of(&self.graph, SIDE, 1)),
        ];
        if let Ok(by_hosts) = ByHosts::new(&self.graph, Grouping::RoundRobin, THESIS_PARTITIONS) {
            let plot = DotPlot::as_is(&by_hosts, SIDE);
            plots.push(self.plot("Figure 3.2: hosts by partition, round-robin", &plot));
        }
        let domains = DOMAINS.map(|(name, _)| format!(".{name}")).join(", ");
        Section::new("Link structure").small_figures(
            "Dot-plots",
            format!(
                "By name, domains show as squares ({domains}; .com, .net and .org link to each other, .jp hardly to \
                 anybody); inside of .com and in any order the diagonal is left, which are links inside of hosts."
            ),
            &plots,
        )
    }

    /// Tables 3.1 and 3.2, Figures 3.3 to 3.5.
    fn groupings(&self) -> Section {
        let links = self.graph.links_before(self.graph.pages()) as f64;
        let percent = |count: u64| format!("{:.2} %", 100.0 * count as f64 / links);
        let mut table = Table::new("Links and votes between partitions (Tables 3.1 and 3.2)")
            .column("partitions", Align::Right)
            .column("hosts dealt", Align::Left);
        for name in [
            "links between",
            "of all",
            "votes",
            "of all",
            "fewer",
            "votes each iteration",
            "largest / mean",
            "iterations to 10⁻³",
        ] {
            table = table.column(name, Align::Right);
        }
        for run in self.runs.iter().filter(|run| run.surfer == 0) {
            let votes = run.votes;
            let fewer = 100.0 * (1.0 - votes.votes as f64 / votes.inter_partition.max(1) as f64);
            table = table.row([
                run.partitions.to_string(),
                name(run.grouping).to_owned(),
                thousands(votes.inter_partition),
                percent(votes.inter_partition),
                thousands(votes.votes),
                percent(votes.votes),
                format!("{fewer:.0} %"),
                thousands(run.votes_each),
                format!("{:.2}", run.imbalance()),
                run.iterations().to_string(),
            ]);
        }
        let mut section = Section::new("Partitions").table(table).text(format!(
            "With footers means a web of the same size on which {:.0} % of the links between hosts are in footers: all \
             pages of a host link to the same few pages elsewhere, which is one vote for many links.",
            100.0 * FOOTERS
        ));
        if let Some(run) = self.run(Grouping::RoundRobin, THESIS_PARTITIONS, 0) {
            section = section.comparison(self.compared(run));
        }
        section
            .small_figures(
                "Pages and links of partitions",
                "Figure 3.3: hosts by their pages, of each of eight partitions and, in grey, of all. Figures 3.4 and 3.5: pages \
                 of each partition, and links that lead into it from others.",
                &[self.host_sizes()],
            )
            .figure("Figure 3.4: pages of each partition.", &self.of_partitions(false))
            .figure("Figure 3.5: links into each partition from others.", &self.of_partitions(true))
    }

    fn compared(&self, run: &Measured) -> Comparison {
        let Some(balanced) = self.run(Grouping::Balanced, THESIS_PARTITIONS, 0) else {
            return Comparison::new("");
        };
        let crossing = |run: &Measured| {
            let between = run.votes.inter_partition as f64;
            100.0 * between / (between + run.votes.intra_partition as f64)
        };
        let fewer = |run: &Measured| {
            100.0 * (1.0 - run.votes.votes as f64 / run.votes.inter_partition.max(1) as f64)
        };
        let row = |name: &str, paper: f64, tolerance: f64, value: &dyn Fn(&Measured) -> f64| {
            Compared::new(name)
                .paper(paper)
                .ours(value(run))
                .tolerance(tolerance)
                .decimals(1)
                .otherwise("hosts balanced by links", value(balanced))
                .otherwise("hosts with footers", value(&self.with_footers))
        };
        Comparison::new("Hosts dealt to eight partitions in turn")
            .row(row("of links between hosts, those between partitions, %", 87.97, 2.0, &crossing))
            .row(row("fewer votes than links between partitions, %", 88.9, 5.0, &fewer))
            .row(row("iterations until 10⁻³", 17.0, 3.0, &|run| run.iterations() as f64))
    }

    fn host_sizes(&self) -> Chart<Lines> {
        let chart = Chart::lines("Figure 3.3: pages per host")
            .x_label("rank of the host")
            .y_label("pages")
            .log_x()
            .log_y();
        let ranked = |mut sizes: Vec<usize>| {
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            let points = sizes.into_iter().enumerate();
            points.map(|(place, size)| (place as f64 + 1.0, size as f64)).collect::<Vec<_>>()
        };
        let chart = chart.quiet_series("all hosts", ranked(self.web.sizes.clone()));
        let Ok(dealt) = ByHosts::new(&self.graph, Grouping::RoundRobin, THESIS_PARTITIONS) else {
            return chart;
        };
        let starts = dealt.hosts();
        (0..THESIS_PARTITIONS).fold(chart, |chart, partition| {
            let pages = dealt.plan().pages(partition);
            let hosts =
                starts.windows(2).filter(|host| pages.contains(&host[0]) && host[0] < host[1]);
            let sizes = hosts.map(|host| host[1] - host[0]).collect();
            chart.series(format!("partition {}", partition + 1), ranked(sizes))
        })
    }

    fn of_partitions(&self, links: bool) -> Chart<crate::plot::Bars> {
        let (title, label) = if links {
            ("Figure 3.5: inter-partition links", "links from other partitions")
        } else {
            ("Figure 3.4: pages per partition", "pages")
        };
        let mut chart = Chart::bars(title).x_label(label);
        for (grouping, _) in Grouping::ALL {
            let Ok(dealt) = ByHosts::new(&self.graph, grouping, THESIS_PARTITIONS) else {
                continue;
            };
            for partition in 0..THESIS_PARTITIONS {
                let pages = dealt.plan().pages(partition);
                let mut value = pages.len() as f64;
                if links {
                    value = 0.0;
                    dealt.read(pages.clone(), &mut |_, row| {
                        value += row.iter().filter(|s| !pages.contains(&s.page())).count() as f64;
                    });
                }
                let name = format!("{} {}", self::name(grouping), partition + 1);
                chart = chart.bar_in(self::name(grouping), name, value);
            }
        }
        chart
    }

    /// Figure 3.6, first part.
    fn convergence(&self) -> Section {
        let mut section = Section::new("Convergence (Figure 3.6)").text(
            "The residual is the change of all ranks in an iteration, as a part of their sum; of a partition, the \
             same of its pages.",
        );
        for (surfer, (name, _)) in SURFERS.iter().enumerate() {
            let chart = |title: String| {
                Chart::lines(title)
                    .x_label("iteration")
                    .y_label("residual")
                    .log_y()
                    .at_y(ENOUGH, "thesis: 10⁻³")
            };
            let mut all = chart(format!("Convergence by partitions, {name}"));
            for run in self.runs.iter().filter(|run| run.surfer == surfer) {
                // With one partition, all groupings are the same.
                if run.partitions > 1 || run.grouping == Grouping::Ranges {
                    let series = format!("{}, {}", run.partitions, self::name(run.grouping));
                    all = all.series(series, numbered(&run.residuals));
                }
            }
            section = section.figure("All pages.", &all);
            if let Some(run) = self.run(Grouping::RoundRobin, THESIS_PARTITIONS, surfer) {
                let each = chart(format!("Convergence of each partition, {name}"));
                let series = run.own_residuals.iter().enumerate();
                let each = series.fold(each, |chart, (partition, own)| {
                    chart.series(format!("partition {}", partition + 1), numbered(own))
                });
                section = section
                    .figure("Each of eight partitions, dealt round-robin, by itself.", &each);
            }
        }
        let mut table = Table::new("Votes of an iteration and iterations to 10⁻³, by surfer")
            .column("partitions", Align::Right)
            .column("hosts dealt", Align::Left);
        for (name, _) in SURFERS {
            table = table.column(format!("votes, {name}"), Align::Right);
            table = table.column(format!("iterations, {name}"), Align::Right);
        }
        for run in self.runs.iter().filter(|run| run.surfer == 0) {
            let mut row = vec![run.partitions.to_string(), name(run.grouping).to_owned()];
            for surfer in 0..SURFERS.len() {
                let same = self.run(run.grouping, run.partitions, surfer);
                row.push(same.map_or(String::new(), |run| thousands(run.votes_each)));
                row.push(same.map_or(String::new(), |run| run.iterations().to_string()));
            }
            table = table.row(row);
        }
        section.table(table)
    }

    /// Figure 3.6, second part.
    fn times(&self) -> Section {
        let mut section = Section::new("Time (Figure 3.6)").text(
            "Milliseconds of an iteration, the mean of the partitions, each a thread of this process: computing votes, \
             and exchanging them, which is waiting for the slowest. With more threads than processors, threads wait \
             for processors. The first iteration is left out. Of times only their order of size is the same in \
             another run.",
        );
        for run in
            self.runs.iter().filter(|run| run.surfer == 0 && run.grouping == Grouping::RoundRobin)
        {
            let points = |kind: usize| {
                let times = run.seconds.iter().enumerate();
                times.map(|(at, s)| (at as f64 + 1.0, 1000.0 * s[kind])).collect::<Vec<_>>()
            };
            let chart = Chart::lines(format!("Time of iterations, {} partitions", run.partitions))
                .x_label("iteration")
                .y_label("milliseconds")
                .marked_series("votes", points(0), Mark::Line)
                .marked_series("exchange", points(1), Mark::Line);
            section = section.figure("Round-robin.", &chart);
        }
        section
    }

    fn joining(&self) -> Section {
        let growth = &self.growth;
        let [before, after] = &growth.joined;
        let shifted = after.iter().enumerate();
        let shifted = shifted.map(|(at, residual)| ((before.len() + at + 1) as f64, *residual));
        let chart = Chart::lines("Pages that join")
            .x_label("iteration")
            .y_label("residual")
            .log_y()
            .at_x(JOINED as f64 + 0.5, "pages join")
            .series("before", numbered(before))
            .series("after, going on", shifted)
            .series("all pages from the beginning", numbered(&growth.anew));
        Section::new("Pages added while it runs")
            .text(format!(
                "A ranking of {} pages has done {JOINED} iterations when the others of {} come: a tenth of the hosts, and \
                 a tenth of the pages of each other host. It goes on with the ranks that there are; new pages begin \
                 with nothing. It needs {} further iterations to 10⁻⁶; from the beginning {} are needed.",
                thousands(growth.pages[0] as u64),
                thousands(growth.pages[1] as u64),
                after.len(),
                growth.anew.len()
            ))
            .figure("The residual after pages have joined.", &chart)
    }
}

fn numbered(residuals: &[f64]) -> Vec<(f64, f64)> {
    residuals.iter().enumerate().map(|(at, residual)| (at as f64 + 1.0, *residual)).collect()
}

fn name(grouping: Grouping) -> &'static str {
    Grouping::ALL[grouping as usize].1
}
