//! What difference does it make where a link stands? The thesis leaves it open (5.3): do links inside of a site go
//! with navigational text, and do rankings gain by telling the links of both kinds of text apart?
//!
//! Pages are ranked by all links, by those in main texts, by those in boilerplate, and by a surfer who first chooses
//! the kind of link. Then it is looked at who gains: the pages that menus and footers lead to, or those that texts do.

mod report;

use webstrata_base::{Error, Progress};

use crate::links::compare::{TopLists, tau_b, top};
use webstrata_links::links::{InLinks, Source, Stratum};
use webstrata_links::rank::{Choice, Jump, RankOptions, Surfer, rank};

/// A host has menus and footers that can be told from other links if at least so many of its pages have links.
const FEWEST_PAGES: usize = 5;

/// How many pages are the best.
const TOP: usize = 100;

/// Which links a ranking follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Followed {
    /// All links alike: PageRank.
    All,
    /// Links in main texts only.
    Content,
    /// Links in boilerplate only.
    Boilerplate,
    /// First a kind of link, then a link of this kind (5.2.1).
    KindFirst,
}

impl Followed {
    /// All, in the order of tables.
    pub const ALL: [Followed; 4] =
        [Followed::All, Followed::Content, Followed::Boilerplate, Followed::KindFirst];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Followed::All => "all links",
            Followed::Content => "content links",
            Followed::Boilerplate => "boilerplate links",
            Followed::KindFirst => "kind of link first",
        }
    }

    fn surfer(self, surfer: Surfer) -> Surfer {
        match self {
            Followed::All => surfer,
            Followed::Content => Surfer { boilerplate: 0.0, ..surfer },
            Followed::Boilerplate => Surfer { content: 0.0, ..surfer },
            Followed::KindFirst => Surfer { choice: Choice::Stratum, ..surfer },
        }
    }
}

/// What leads to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Boilerplate of at least half of the pages of its own host: an entry of a menu or a footer.
    Menu,
    /// Boilerplate of at least half of the pages of another host: a partner, a tool, a share button.
    Badge,
    /// Main texts of other hosts.
    Cited,
    /// Main texts of its own host only.
    Related,
    /// Boilerplate of a few pages.
    Teaser,
    /// Nothing.
    Unlinked,
}

impl Role {
    /// All, in the order of tables.
    pub const ALL: [Role; 6] =
        [Role::Menu, Role::Badge, Role::Cited, Role::Related, Role::Teaser, Role::Unlinked];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Role::Menu => "menu or footer of its site",
            Role::Badge => "menu or footer of another site",
            Role::Cited => "main texts of other sites",
            Role::Related => "main texts of its site",
            Role::Teaser => "boilerplate of a few pages",
            Role::Unlinked => "nothing",
        }
    }
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Study {
    /// Links by stratum.
    pub links: [u64; Stratum::COUNT],
    /// The ranks, in the order of [`Followed::ALL`].
    pub ranks: Vec<Vec<f32>>,
    /// What leads to each page.
    pub roles: Vec<Role>,
    /// For each page that links lead to, the share of them that stand in boilerplate.
    pub boilerplate: Vec<Option<f32>>,
}

/// Pages of a role in a ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    /// How many pages.
    pub pages: usize,
    /// The part of all rank that they have.
    pub rank: f64,
    /// The place of the one in the middle, as a part of all pages: 0 is the best.
    pub median_place: f64,
    /// How many of them are among the best hundred.
    pub in_top: usize,
}

impl Study {
    /// Ranks a graph in all ways, and looks at what leads to its pages.
    pub fn new(
        graph: &dyn InLinks,
        options: &RankOptions,
        progress: &dyn Progress,
    ) -> Result<Study, Error> {
        let mut ranks = Vec::new();
        for followed in Followed::ALL {
            let options =
                RankOptions { surfer: followed.surfer(options.surfer), ..options.clone() };
            ranks.extend(rank(graph, &[Jump::Everywhere], &options, progress)?.vectors);
        }
        let pages = graph.pages();
        let mut links = [0; Stratum::COUNT];
        let with_links = pages_with_links(graph);
        let mut roles = vec![Role::Unlinked; pages];
        let mut boilerplate = vec![None; pages];
        graph.read(0..pages, &mut |page, sources| {
            sources.iter().for_each(|source| links[source.stratum().index()] += 1);
            roles[page] = role(graph.hosts(), &with_links, sources);
            if !sources.is_empty() {
                let count = sources.iter().filter(|s| s.stratum().is_boilerplate()).count();
                boilerplate[page] = Some(count as f32 / sources.len() as f32);
            }
        });
        Ok(Study { links, ranks, roles, boilerplate })
    }

    /// How far "inside of its host" and "in boilerplate" go together, as a correlation of two yes-or-no
    /// properties (φ): 1 if they are the same, 0 if they have nothing to do with each other.
    pub fn correlation(&self) -> f64 {
        let count =
            |external, boilerplate| self.links[Stratum::new(external, boilerplate).index()] as f64;
        let (a, b) = (count(false, true), count(false, false));
        let (c, d) = (count(true, true), count(true, false));
        let spread = ((a + b) * (c + d) * (a + c) * (b + d)).sqrt();
        if spread > 0.0 { (a * d - b * c) / spread } else { 0.0 }
    }

    /// Kendall's tau of two rankings over the pages that links lead to.
    pub fn kendall(&self, a: Followed, b: Followed) -> f64 {
        let linked = |followed: Followed| -> Vec<f32> {
            let ranks = self.ranks[followed as usize].iter().zip(&self.roles);
            ranks.filter(|(_, role)| **role != Role::Unlinked).map(|(rank, _)| *rank).collect()
        };
        tau_b(&linked(a), &linked(b))
    }

    /// The best pages of two rankings, compared.
    pub fn top(&self, a: Followed, b: Followed, count: usize) -> TopLists {
        TopLists::of(&self.ranks[a as usize], &self.ranks[b as usize], count)
    }

    /// How the pages of each role stand in a ranking, in the order of [`Role::ALL`].
    pub fn standings(&self, followed: Followed) -> [Standing; Role::ALL.len()] {
        let ranks = &self.ranks[followed as usize];
        let places = self.places(followed);
        let total: f64 = ranks.iter().map(|rank| f64::from(*rank)).sum();
        let best = top(ranks, TOP);
        Role::ALL.map(|role| {
            let pages: Vec<usize> =
                (0..ranks.len()).filter(|page| self.roles[*page] == role).collect();
            let rank: f64 = pages.iter().map(|page| f64::from(ranks[*page])).sum();
            let mut of_role: Vec<f64> = pages.iter().map(|page| places[*page]).collect();
            of_role.sort_by(f64::total_cmp);
            let middle = of_role.get(of_role.len() / 2).copied().unwrap_or(0.0);
            Standing {
                pages: pages.len(),
                // The sum of nothing is a negative zero.
                rank: if total > 0.0 { rank.max(0.0) / total } else { 0.0 },
                median_place: middle / ranks.len().max(1) as f64,
                in_top: best.iter().filter(|page| self.roles[**page] == role).count(),
            }
        })
    }

    /// The place of each page in a ranking, from 0; pages of the same rank share the mean of their places.
    fn places(&self, followed: Followed) -> Vec<f64> {
        let ranks = &self.ranks[followed as usize];
        let order = top(ranks, ranks.len());
        let mut places = vec![0.0; ranks.len()];
        let mut before = 0;
        for tied in order.chunk_by(|a, b| ranks[*a] == ranks[*b]) {
            let place = before as f64 + (tied.len() - 1) as f64 / 2.0;
            tied.iter().for_each(|page| places[*page] = place);
            before += tied.len();
        }
        places
    }

    /// For pages by how much of what leads to them is boilerplate, in so many steps from none to all: how many pages,
    /// and the mean of how much higher they stand by content links than by all, as a part of all pages.
    pub fn by_boilerplate(&self, steps: usize) -> Vec<(usize, f64)> {
        let (all, content) = (self.places(Followed::All), self.places(Followed::Content));
        let mut sums: Vec<(usize, f64)> = vec![(0, 0.0); steps.max(1)];
        let last = sums.len() - 1;
        for (page, share) in self.boilerplate.iter().enumerate() {
            let Some(share) = share else { continue };
            let (count, sum) = &mut sums[((share * steps as f32) as usize).min(last)];
            *count += 1;
            *sum += (all[page] - content[page]) / all.len() as f64;
        }
        sums.into_iter().map(|(count, sum)| (count, sum / (count.max(1) as f64))).collect()
    }
}

/// How many pages of each host have links.
fn pages_with_links(graph: &dyn InLinks) -> Vec<usize> {
    let has_links = |page: &usize| graph.out_degrees(*page).iter().any(|degree| *degree > 0);
    graph.hosts().windows(2).map(|host| (host[0]..host[1]).filter(has_links).count()).collect()
}

fn role(hosts: &[usize], with_links: &[usize], sources: &[Source]) -> Role {
    let host = |source: &Source| hosts.partition_point(|start| *start <= source.page()) - 1;
    let mut role = Role::Unlinked;
    for from_host in sources.chunk_by(|a, b| host(a) == host(b)) {
        let in_boilerplate =
            from_host.iter().filter(|source| source.stratum().is_boilerplate()).count();
        let is_own = !from_host[0].stratum().is_external();
        let pages = with_links[host(&from_host[0])];
        let on_most = pages >= FEWEST_PAGES && in_boilerplate * 2 >= pages;
        let found = match (on_most, is_own) {
            (true, true) => Role::Menu,
            (true, false) => Role::Badge,
            (false, _) if in_boilerplate == from_host.len() => Role::Teaser,
            (false, true) => Role::Related,
            (false, false) => Role::Cited,
        };
        role = role.min(found);
    }
    role
}

#[cfg(test)]
mod tests {
    use super::*;
    use webstrata_links::links::MemoryGraph;

    /// Ten pages with a menu to page 0 and a badge of page 10, texts that cite page 11 of another host, and a
    /// teaser of page 5 on one of them.
    fn site() -> MemoryGraph {
        let mut links = Vec::new();
        for page in 0..10 {
            links.extend([(page, 0, true), (page, 10, true)]);
            if page % 3 == 1 {
                links.extend([(page, 11, false), (page, 6, false)]);
            }
        }
        links.push((2, 5, true));
        MemoryGraph::new(&[10, 1, 2], links)
    }

    #[test]
    fn roles_are_what_leads_to_a_page() {
        let study = Study::new(&site(), &RankOptions::default(), &()).unwrap();
        let role = |page: usize| study.roles[page];
        assert_eq!(
            [role(0), role(10), role(11), role(6), role(5), role(12)],
            [Role::Menu, Role::Badge, Role::Cited, Role::Related, Role::Teaser, Role::Unlinked]
        );
        assert_eq!(study.links, [3, 3, 11, 10]);
        assert_eq!((study.boilerplate[0], study.boilerplate[11]), (Some(1.0), Some(0.0)));
    }

    #[test]
    fn menus_fall_by_content_links() {
        let study = Study::new(&site(), &RankOptions::default(), &()).unwrap();
        let [all, content] = [Followed::All, Followed::Content].map(|f| study.standings(f)[0]);
        assert!(all.pages == 1 && all.median_place < 0.05);
        assert!(content.median_place > 0.1 && content.rank < all.rank);
        let moves = study.by_boilerplate(10);
        assert!(moves[0].1 > 0.0 && moves[9].1 < 0.0, "{moves:?}");
        assert!(study.kendall(Followed::All, Followed::Content) < 0.9);
        assert!(study.top(Followed::All, Followed::Content, 2).shared() < 2);
    }

    #[test]
    fn a_graph_of_one_kind_has_no_correlation() {
        let graph = MemoryGraph::new(&[3], [(0, 1, false), (1, 2, false)]);
        let study = Study::new(&graph, &RankOptions::default(), &()).unwrap();
        assert_eq!(study.correlation(), 0.0);
        let empty = Study::new(&MemoryGraph::new(&[], []), &RankOptions::default(), &()).unwrap();
        assert!(empty.standings(Followed::All).iter().all(|s| s.rank == 0.0 && s.pages == 0));
        let both = MemoryGraph::new(&[2, 1], [(0, 1, true), (0, 2, false)]);
        assert_eq!(Study::new(&both, &RankOptions::default(), &()).unwrap().correlation(), 1.0);
    }
}
