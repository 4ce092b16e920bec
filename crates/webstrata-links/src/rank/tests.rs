//! Ranks against a dense solver, which knows no partitions, no rows and no iterations.

use proptest::prelude::*;

use super::*;
use crate::links::MemoryGraph;

/// What is solved: r = (1-α)v + α(A + d·gᵀ)r, by Gauss's elimination in 64 bits.
fn dense(graph: &MemoryGraph, jump: &Jump, options: &RankOptions) -> Vec<f64> {
    let pages = graph.pages();
    let surfer = &options.surfer;
    let classes = surfer.classes();
    let mut jumps = vec![0.0; pages];
    match jump {
        Jump::Everywhere => jumps.fill(1.0 / pages as f64),
        Jump::Set(set) => set.iter().for_each(|page| jumps[*page] += 1.0 / set.len() as f64),
        Jump::Weighted(set) => {
            let total: f64 = set.iter().map(|(_, weight)| weight).sum();
            set.iter().for_each(|(page, weight)| jumps[*page] += weight / total);
        }
    }
    // Rows of (I - αA), and what is on the right.
    let mut system = vec![vec![0.0; pages + 1]; pages];
    graph.read(0..pages, &mut |target, sources| {
        for source in sources {
            let shares = surfer.shares(&classes, graph.out_degrees(source.page()));
            let class = usize::from(classes.of[source.stratum().index()]);
            system[target][source.page()] -= shares[class];
        }
    });
    for page in 0..pages {
        let shares = surfer.shares(&classes, graph.out_degrees(page));
        if shares == [0.0; 4] {
            for target in 0..pages {
                system[target][page] -= surfer.alpha
                    * match options.dangling {
                        Dangling::Jump => jumps[target],
                        Dangling::Uniform => 1.0 / pages as f64,
                        Dangling::Drop => 0.0,
                    };
            }
        }
        system[page][page] += 1.0;
        system[page][pages] = (1.0 - surfer.alpha) * jumps[page];
    }
    for pivot in 0..pages {
        let best = (pivot..pages)
            .max_by(|a, b| system[*a][pivot].abs().total_cmp(&system[*b][pivot].abs()))
            .unwrap();
        system.swap(pivot, best);
        for row in 0..pages {
            if row != pivot {
                let pivot_row = system[pivot].clone();
                let factor = system[row][pivot] / pivot_row[pivot];
                let cells = system[row].iter_mut().zip(&pivot_row);
                cells.for_each(|(cell, above)| *cell -= factor * above);
            }
        }
    }
    (0..pages).map(|page| system[page][pages] / system[page][page]).collect()
}

fn distance(ranks: &[f32], exact: &[f64]) -> f64 {
    assert_eq!(ranks.len(), exact.len());
    ranks.iter().zip(exact).map(|(rank, exact)| (f64::from(*rank) - exact).abs()).sum()
}

fn graphs() -> impl Strategy<Value = MemoryGraph> {
    let hosts = prop::collection::vec(1usize..8, 1..6);
    hosts.prop_flat_map(|hosts| {
        let pages: usize = hosts.iter().sum();
        let links = prop::collection::vec((0..pages, 0..pages, any::<bool>()), 0..4 * pages);
        // Menus: all pages of a range link to all pages of another, which may be the same.
        let menus = prop::collection::vec((0..pages, 1usize..9, 0..pages, 1usize..5), 0..3);
        (Just(hosts), links, menus).prop_map(move |(hosts, mut links, menus)| {
            for (from, sources, to, targets) in menus {
                for source in from..pages.min(from + sources) {
                    links
                        .extend((to..pages.min(to + targets)).map(|target| (source, target, true)));
                }
            }
            MemoryGraph::new(&hosts, links)
        })
    })
}

fn jumps() -> impl Strategy<Value = Vec<Jump>> {
    let jump = prop_oneof![
        Just(Jump::Everywhere),
        prop::collection::vec(0usize..5, 1..4).prop_map(Jump::Set),
        prop::collection::vec((0usize..5, 0.1..3.0), 1..4).prop_map(Jump::Weighted),
    ];
    prop::collection::vec(jump, 1..19)
}

fn surfers() -> impl Strategy<Value = Surfer> {
    let weight = || prop_oneof![Just(0.5), 0.0..2.0];
    let choice = prop_oneof![Just(Choice::Link), Just(Choice::Side), Just(Choice::Stratum)];
    let alpha = prop_oneof![Just(0.85), Just(0.0), 0.1..0.97];
    let stratified = (alpha, weight(), 0.01..2.0, 0.01..2.0, weight(), choice).prop_map(
        |(alpha, internal, external, content, boilerplate, choice)| Surfer {
            alpha,
            internal,
            external,
            content,
            boilerplate,
            choice,
        },
    );
    prop_oneof![Just(Surfer::default()), stratified]
}

fn options() -> impl Strategy<Value = RankOptions> {
    let dangling = prop_oneof![Just(Dangling::Jump), Just(Dangling::Uniform), Just(Dangling::Drop)];
    let method = prop_oneof![Just(Method::Jacobi), Just(Method::GaussSeidel)];
    let precision = prop_oneof![Just(Precision::Single), Just(Precision::Double)];
    (surfers(), dangling, method, precision, 1usize..6, 1usize..3).prop_map(
        |(surfer, dangling, method, precision, partitions, sweeps)| RankOptions {
            surfer,
            dangling,
            method,
            precision,
            partitions,
            sweeps,
            // Whoever has which host, ranks are those of the dense solver.
            grouping: Grouping::ALL[(partitions + sweeps) % Grouping::ALL.len()].0,
            until: Until::Residual(0.0),
            most_iterations: 2_000,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Every method, number of partitions and precision gives what the dense solver gives, for every jump, rule and
    /// surfer.
    #[test]
    fn ranks_are_exact(graph in graphs(), jumps in jumps(), options in options()) {
        let last = graph.pages() - 1;
        let jumps: Vec<Jump> = jumps.into_iter().map(|jump| match jump {
            Jump::Everywhere => Jump::Everywhere,
            Jump::Set(set) => Jump::Set(set.into_iter().map(|page| page.min(last)).collect()),
            Jump::Weighted(set) => Jump::Weighted(set.into_iter().map(|(page, w)| (page.min(last), w)).collect()),
        }).collect();
        let ranking = rank(&graph, &jumps, &options, &()).unwrap();
        prop_assert_eq!(ranking.vectors.len(), jumps.len());
        // What is rounded in an iteration comes back as often as a surfer follows links without a jump.
        let precision = match options.precision { Precision::Double => 1e-7, _ => 1e-6 };
        let tolerance = precision * 0.15 / (1.0 - options.surfer.alpha).min(0.15);
        for (jump, vector) in jumps.iter().zip(&ranking.vectors) {
            let exact = dense(&graph, jump, &options);
            let distance = distance(vector, &exact);
            prop_assert!(distance < tolerance, "{distance}: {vector:?} instead of {exact:?}");
        }
    }

    /// What was promised about the error is kept.
    #[test]
    fn the_error_is_bounded(graph in graphs(), mut options in options(), exponent in 2i32..9) {
        let wanted = 10f64.powi(-exponent);
        options.until = Until::Error(wanted);
        options.precision = Precision::Double;
        let ranking = rank(&graph, &[Jump::Everywhere], &options, &()).unwrap();
        prop_assert!(ranking.run.converged && ranking.run.error_bound <= wanted);
        let distance = distance(&ranking.vectors[0], &dense(&graph, &Jump::Everywhere, &options));
        // Ranks are handed over in 32 bits.
        prop_assert!(distance <= ranking.run.error_bound + 1e-7, "{distance} > {}", ranking.run.error_bound);
    }

    /// Links and votes are counted as they are.
    #[test]
    fn votes_are_one_for_a_target_and_partition(graph in graphs(), partitions in 1usize..6) {
        let options = RankOptions { partitions, ..RankOptions::default() };
        let run = rank(&graph, &[Jump::Everywhere], &options, &()).unwrap().run;
        let plan = Plan::even(&graph, partitions);
        let mut between = 0;
        let mut votes = std::collections::BTreeSet::new();
        let mut inter_host = 0;
        graph.read(0..graph.pages(), &mut |target, sources| for source in sources {
            inter_host += u64::from(source.stratum().is_external());
            let owner = plan.owner(source.page());
            if owner != plan.owner(target) {
                between += 1;
                votes.insert((owner, target));
            }
        });
        prop_assert_eq!(run.links, graph.links_before(graph.pages()));
        prop_assert_eq!((run.inter_partition, run.votes, run.inter_host), (between, votes.len() as u64, inter_host));
    }
}

/// Pages in a ring, each of which links to another one, too; some are linked to often.
fn ring(pages: usize) -> MemoryGraph {
    let links = (0..pages).flat_map(|page| {
        [(page, (page + 1) % pages, false), (page, page * page % pages, page % 3 == 0)]
    });
    MemoryGraph::new(&[pages / 2, pages - pages / 2], links)
}

#[test]
fn the_default_surfer_is_plain_page_rank() {
    let graph = ring(100);
    let plain = rank(&graph, &[Jump::Everywhere], &RankOptions::default(), &()).unwrap();
    let equal = Surfer {
        internal: 2.0,
        external: 2.0,
        content: 7.0,
        boilerplate: 7.0,
        ..Surfer::default()
    };
    let weighted = rank(
        &graph,
        &[Jump::Everywhere],
        &RankOptions { surfer: equal, ..RankOptions::default() },
        &(),
    )
    .unwrap();
    assert_eq!(plain.vectors, weighted.vectors);
    let content = Surfer { boilerplate: 0.0, ..Surfer::default() };
    let content = rank(
        &graph,
        &[Jump::Everywhere],
        &RankOptions { surfer: content, ..RankOptions::default() },
        &(),
    );
    assert_ne!(plain.vectors, content.unwrap().vectors);
}

#[test]
fn an_earlier_ranking_saves_iterations() {
    let graph = ring(5_000);
    let changed = MemoryGraph::new(
        &[2_500, 2_501],
        (0..5_000).flat_map(|page| {
            let next =
                [(page, (page + 1) % 5_000, false), (page, page * page % 5_000, page % 3 == 0)];
            next.into_iter().chain((page < 3).then_some((page, 5_000, false)))
        }),
    );
    let options = RankOptions { partitions: 2, ..RankOptions::default() };
    let jumps = [Jump::Everywhere, Jump::Set(vec![17])];
    let mut earlier = rank(&graph, &jumps, &options, &()).unwrap().vectors;
    earlier.iter_mut().for_each(|vector| vector.push(0.0));
    let cold = rank(&changed, &jumps, &options, &()).unwrap();
    let warm = rank_from(&changed, &jumps, &options, Some(&earlier), &()).unwrap();
    let (cold_count, warm_count) = (cold.run.residuals.len(), warm.run.residuals.len());
    assert!(warm_count * 5 < cold_count * 4, "{warm_count} after {cold_count}");
    for (warm, cold) in warm.vectors.iter().zip(&cold.vectors) {
        let cold: Vec<f64> = cold.iter().map(|rank| f64::from(*rank)).collect();
        assert!(distance(warm, &cold) < 1e-5);
    }
}

#[test]
fn more_sweeps_need_fewer_exchanges() {
    let graph = ring(5_000);
    let count = |sweeps| {
        let options = RankOptions { sweeps, partitions: 4, ..RankOptions::default() };
        rank(&graph, &[Jump::Everywhere], &options, &()).unwrap().run.residuals.len()
    };
    assert!(count(2) < count(1));
}

#[test]
fn the_method_of_gauss_and_seidel_needs_fewer_iterations() {
    let graph = ring(5_000);
    let count = |method| {
        let options = RankOptions { method, ..RankOptions::default() };
        rank(&graph, &[Jump::Everywhere], &options, &()).unwrap().run.residuals.len()
    };
    assert!(count(Method::GaussSeidel) * 4 < count(Method::Jacobi) * 3);
}

#[test]
fn graphs_without_pages_or_links_have_ranks() {
    for dangling in [Dangling::Jump, Dangling::Uniform, Dangling::Drop] {
        let options = RankOptions { dangling, partitions: 3, ..RankOptions::default() };
        let none = rank(&MemoryGraph::new(&[], []), &[Jump::Everywhere], &options, &()).unwrap();
        assert_eq!(none.vectors, [Vec::<f32>::new()]);
        let alone = MemoryGraph::new(&[4], []);
        let ranks =
            &rank(&alone, &[Jump::Everywhere, Jump::Set(vec![1])], &options, &()).unwrap().vectors;
        let lost = if dangling == Dangling::Drop { 0.15 } else { 1.0 };
        assert!(ranks[0].iter().all(|rank| (rank - lost / 4.0).abs() < 1e-6), "{ranks:?}");
        assert!(ranks[1].iter().all(|rank| rank.is_finite()));
    }
}

#[test]
fn who_is_never_reached_has_nothing() {
    let graph =
        MemoryGraph::new(&[4], [(0, 1, false), (1, 0, false), (2, 3, false), (3, 2, false)]);
    for partitions in [1, 2] {
        let options = RankOptions { partitions, ..RankOptions::default() };
        let ranks = &rank(&graph, &[Jump::Set(vec![0])], &options, &()).unwrap().vectors[0];
        assert!(ranks[0] > ranks[1] && ranks[1] > 0.1);
        assert_eq!(ranks[2..], [0.0, 0.0]);
    }
}

#[test]
fn who_hardly_ever_jumps_gets_numbers() {
    let graph =
        MemoryGraph::new(&[3], [(0, 0, false), (1, 0, false), (1, 2, false), (2, 1, false)]);
    for alpha in [0.999, 0.999_999_99, 1.0 - f64::EPSILON] {
        for precision in [Precision::Enough, Precision::Single] {
            let surfer = Surfer { alpha, ..Surfer::default() };
            let options = RankOptions { surfer, precision, ..RankOptions::default() };
            // Numbers or a reason why not, but nothing that is neither.
            if let Ok(ranking) = rank(&graph, &[Jump::Everywhere], &options, &()) {
                assert!(
                    ranking.vectors[0].iter().all(|rank| (0.0..=1.001).contains(rank)),
                    "{ranking:?}"
                );
            }
        }
    }
}

#[test]
fn many_rankings_are_told_of_together() {
    let graph = ring(500);
    let jumps: Vec<Jump> = (0..20).map(|page| Jump::Set(vec![page])).collect();
    let options = RankOptions { until: Until::Error(1e-4), ..RankOptions::default() };
    let together = rank(&graph, &jumps, &options, &()).unwrap();
    assert_eq!(together.vectors.len(), 20);
    let first = rank(&graph, &jumps[..16], &options, &()).unwrap().run;
    let last = rank(&graph, &jumps[16..], &options, &()).unwrap().run;
    assert_eq!(together.run.residuals.len(), first.residuals.len().max(last.residuals.len()));
    assert_eq!(together.run.error_bound, first.error_bound.max(last.error_bound));
}

#[test]
fn what_cannot_be_ranked_is_said() {
    let graph = ring(10);
    let refused = |jump: Jump, options: &RankOptions| {
        rank(&graph, &[jump], options, &()).unwrap_err().to_string()
    };
    let options = RankOptions::default();
    assert_eq!(
        refused(Jump::Set(Vec::new()), &options),
        "a biasing set is empty or without weight, give it at least one page of the graph"
    );
    assert_eq!(
        refused(Jump::Set(vec![10]), &options),
        "page 10 of a biasing set is not one of the 10 pages"
    );
    assert_eq!(
        refused(Jump::Weighted(vec![(1, f64::NAN)]), &options),
        "page 1 has weight NaN in a biasing set, must be from 0 to a billion"
    );
    refused(Jump::Weighted(vec![(1, 0.0)]), &options);
    let whole =
        RankOptions { surfer: Surfer { alpha: 1.0, ..Surfer::default() }, ..options.clone() };
    assert_eq!(
        refused(Jump::Everywhere, &whole),
        "alpha is 1, must be from 0 to below 1 (who never jumps has no one ranking)"
    );
    refused(Jump::Everywhere, &RankOptions { until: Until::Residual(f64::NAN), ..options });
}

#[test]
fn a_checkpoint_goes_on_as_if_nothing_had_happened() {
    use std::cell::RefCell;
    let graph = ring(1_000);
    let plan = Plan::even(&graph, 1);
    let options = RankOptions::default();
    let run = |start: Start, kept: &RefCell<Option<(Vec<f64>, exchange::Numbers)>>| {
        let mut threads = Threads::connect(1);
        let mut watch = |state: &State<'_>| {
            if state.iteration == 5 {
                *kept.borrow_mut() = Some((state.residuals.to_vec(), (state.values)()));
            }
            Ok(())
        };
        solve::<f32>(
            &graph,
            &plan,
            &[Jump::Everywhere],
            &options,
            start,
            &mut threads[0],
            &mut watch,
        )
        .unwrap()
    };
    let kept = RefCell::new(None);
    let whole = run(Start::Jumps, &kept);
    let (residuals, values) = kept.take().unwrap();
    let resumed = run(Start::Checkpoint { residuals, values }, &kept);
    assert_eq!(whole.solutions, resumed.solutions);
    assert_eq!(whole.run.residuals, resumed.run.residuals);
}
