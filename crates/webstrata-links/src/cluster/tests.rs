use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use webstrata_base::random::Random;

use super::*;
use crate::links::MemoryGraph;
use crate::rank::{self, Method, Until};

const WAIT: Duration = Duration::from_secs(20);

fn web(pages_per_host: &[usize], seed: u64) -> MemoryGraph {
    let mut random = Random::new(seed);
    let pages: usize = pages_per_host.iter().sum();
    let mut links = Vec::new();
    let mut start = 0;
    for size in pages_per_host {
        for page in start..start + size {
            // Some have no links.
            for _ in 0..random.below(12) {
                let inside = random.below(100) < 80;
                let to = if inside { start + random.below(*size) } else { random.below(pages) };
                links.push((page, to, false));
            }
        }
        start += size;
    }
    MemoryGraph::new(pages_per_host, links)
}

fn options() -> RankOptions {
    RankOptions { until: Until::Residual(1e-9), ..RankOptions::default() }
}

fn free_addresses(count: usize) -> Vec<String> {
    let listeners: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    listeners.iter().map(|listener| listener.local_addr().unwrap().to_string()).collect()
}

/// Runs a function in every worker.
fn at_work<T: Send>(
    workers: Vec<impl FnOnce() -> Result<Connected, Error> + Send>,
    work: impl Fn(&mut Endpoint) -> Result<T, Error> + Sync,
) -> Vec<Result<T, Error>> {
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            workers.into_iter().map(|worker| scope.spawn(|| work(&mut worker()?.open()))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn by_queues(count: usize) -> Vec<impl FnOnce() -> Result<Connected, Error> + Send> {
    threads(count).into_iter().map(|worker| move || Ok(worker)).collect()
}

fn by_connections(
    count: usize,
    task: u64,
) -> Vec<impl FnOnce() -> Result<Connected, Error> + Send> {
    let peers = free_addresses(count);
    (0..count)
        .map(|index| {
            let peers = peers.clone();
            move || connect(&peers, index, task, WAIT)
        })
        .collect()
}

fn first(rankings: Vec<Result<Option<Ranking>, Error>>) -> Ranking {
    rankings.into_iter().map(Result::unwrap).next().flatten().unwrap()
}

fn distance(left: &[f32], right: &[f32]) -> f64 {
    left.iter().zip(right).map(|(left, right)| f64::from((left - right).abs())).sum()
}

#[test]
fn ranks_do_not_depend_on_the_number_of_workers_nor_on_what_connects_them() {
    let graph = web(&[30, 1, 0, 200, 7, 90, 90, 41], 1);
    let jumps =
        [Jump::Everywhere, Jump::Set(vec![3, 40]), Jump::Weighted(vec![(7, 1.0), (9, 3.0)])];
    for dangling in [Dangling::Jump, Dangling::Uniform, Dangling::Drop] {
        let options = RankOptions { dangling, ..options() };
        let expected = rank::rank(&graph, &jumps, &options, &()).unwrap();
        for count in [1, 2, 4] {
            let settings = ClusterOptions::default();
            let work = |endpoint: &mut Endpoint| {
                super::rank(&graph, &jumps, &options, &settings, endpoint, &())
            };
            let by_queues = first(at_work(by_queues(count), work));
            let by_connections = first(at_work(by_connections(count, 5), work));
            assert_eq!(by_queues.vectors, by_connections.vectors, "{count} workers");
            for (found, expected) in by_queues.vectors.iter().zip(&expected.vectors) {
                assert_eq!(found.len(), expected.len());
                assert!(distance(found, expected) < 1e-6, "{count} workers");
            }
        }
    }
}

#[test]
fn the_same_as_threads_of_the_library_to_the_last_bit() {
    let graph = web(&[300, 10, 200], 2);
    let options = RankOptions { partitions: 3, method: Method::Jacobi, ..options() };
    let expected = rank::rank(&graph, &[Jump::Everywhere], &options, &()).unwrap();
    let found = first(at_work(by_connections(3, 5), |endpoint| {
        super::rank(
            &graph,
            &[Jump::Everywhere],
            &options,
            &ClusterOptions::default(),
            endpoint,
            &(),
        )
    }));
    assert_eq!(found.vectors, expected.vectors);
    assert_eq!(found.run.residuals, expected.run.residuals);
}

#[test]
fn bytes_sent_are_those_of_votes_and_of_short_heads() {
    let graph = web(&[300, 200], 3);
    let settings = ClusterOptions::default();
    let sent = |iterations: usize| {
        let options = RankOptions { most_iterations: iterations, ..options() };
        let workers = at_work(by_connections(2, 5), |endpoint| {
            let ranking =
                super::rank(&graph, &[Jump::Everywhere], &options, &settings, endpoint, &())?;
            Ok((endpoint.sent(), ranking.map(|ranking| ranking.run.bytes_sent)))
        });
        let workers: Vec<(u64, Option<u64>)> = workers.into_iter().map(Result::unwrap).collect();
        (workers.iter().map(|(sent, _)| sent).sum::<u64>(), workers[0].1.unwrap())
    };
    let ((few, stated), (more, _)) = (sent(3), sent(8));
    let message_heads = 2 * 40;
    assert_eq!((more - few) / 5, stated + message_heads);
}

#[test]
fn fast_workers_get_more_pages() {
    let graph = web(&[100; 12], 4);
    let settings = ClusterOptions {
        balance: Balance::Given(vec![3.0, 1.0, 2.0]),
        ..ClusterOptions::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let checkpoints = Checkpoints { folder: folder.path().to_owned(), every: 1 };
    let settings = ClusterOptions { checkpoints: Some(checkpoints.clone()), ..settings };
    let options = options();
    let found = first(at_work(by_queues(3), |endpoint| {
        super::rank(&graph, &[Jump::Everywhere], &options, &settings, endpoint, &())
    }));
    let expected = rank::rank(&graph, &[Jump::Everywhere], &options, &()).unwrap();
    assert!(distance(&found.vectors[0], &expected.vectors[0]) < 1e-6);
    let task = task(&graph, &[Jump::Everywhere], &options);
    let last = checkpoints.last(3).unwrap().unwrap();
    // Whole hosts, in proportion to the speeds.
    assert_eq!(checkpoints.read(0, 3, last, task).unwrap().ends, [600, 800, 1200]);
}

#[test]
fn measured_speeds_give_the_same_ranks() {
    let graph = web(&[100; 12], 5);
    let settings = ClusterOptions { balance: Balance::Measured, ..ClusterOptions::default() };
    let options = options();
    let found = first(at_work(by_queues(2), |endpoint| {
        super::rank(&graph, &[Jump::Everywhere], &options, &settings, endpoint, &())
    }));
    let expected = rank::rank(&graph, &[Jump::Everywhere], &options, &()).unwrap();
    assert!(distance(&found.vectors[0], &expected.vectors[0]) < 1e-6);
}

fn with_checkpoints(folder: &Path, resume: bool) -> ClusterOptions {
    let checkpoints = Checkpoints { folder: folder.to_owned(), every: 3 };
    ClusterOptions { checkpoints: Some(checkpoints), resume, ..ClusterOptions::default() }
}

#[test]
fn a_run_that_was_stopped_goes_on_as_if_it_had_not_been() {
    let graph = web(&[300, 50, 200], 6);
    let options = options();
    let jumps = [Jump::Everywhere];
    let work = |options: &RankOptions, settings: &ClusterOptions, endpoint: &mut Endpoint| {
        super::rank(&graph, &jumps, options, settings, endpoint, &())
    };
    let folder = tempfile::tempdir().unwrap();
    let whole = first(at_work(by_queues(3), |endpoint| {
        work(&options, &ClusterOptions::default(), endpoint)
    }));
    let cut = RankOptions { most_iterations: 8, ..options.clone() };
    let settings = with_checkpoints(folder.path(), false);
    at_work(by_queues(3), |endpoint| work(&cut, &settings, endpoint));
    assert_eq!(settings.checkpoints.as_ref().unwrap().last(3), Ok(Some(6)));

    let settings = with_checkpoints(folder.path(), true);
    let resumed =
        first(at_work(by_connections(3, 5), |endpoint| work(&options, &settings, endpoint)));
    assert_eq!(resumed.vectors, whole.vectors);
    assert_eq!(resumed.run.residuals, whole.run.residuals);

    // With other options or as others, it does not go on.
    let other = RankOptions { method: Method::Jacobi, ..options.clone() };
    let errors = at_work(by_queues(3), |endpoint| work(&other, &settings, endpoint));
    let errors: Vec<String> =
        errors.into_iter().map(|error| error.unwrap_err().to_string()).collect();
    assert!(errors[0].contains("other options"), "{errors:?}");
    let errors = at_work(by_queues(2), |endpoint| work(&options, &settings, endpoint));
    assert!(errors[0].as_ref().unwrap_err().to_string().contains("as many workers"));
}

#[test]
fn a_damaged_checkpoint_stops_all_workers() {
    let graph = web(&[300, 50, 200], 7);
    let options = RankOptions { most_iterations: 8, ..options() };
    let work = |settings: &ClusterOptions, endpoint: &mut Endpoint| {
        super::rank(&graph, &[Jump::Everywhere], &options, settings, endpoint, &())
    };
    let folder = tempfile::tempdir().unwrap();
    at_work(by_queues(2), |endpoint| work(&with_checkpoints(folder.path(), false), endpoint));
    let path = folder.path().join("000006-worker-1-of-2");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();

    let settings = with_checkpoints(folder.path(), true);
    let ended = at_work(by_connections(2, 5), |endpoint| work(&settings, endpoint));
    let message: Vec<String> = ended.into_iter().map(|end| end.unwrap_err().to_string()).collect();
    assert!(message[1].contains("damaged checkpoint"), "{message:?}");
    // The other one has lost its peer, and says so instead of waiting for ever.
    assert!(message[0].starts_with("lost worker 1 at 127.0.0.1:"), "{message:?}");
}

#[test]
fn a_worker_that_ends_early_is_missed_by_threads_too() {
    let ended = at_work(by_queues(3), |endpoint| {
        if endpoint.index() == 1 {
            return Err(Error::new("it had enough"));
        }
        let message = Message { numbers: Numbers::Integers(vec![1]), sums: Vec::new() };
        endpoint.exchange(vec![message; 3])
    });
    let message: Vec<String> = ended.into_iter().map(|end| end.unwrap_err().to_string()).collect();
    assert!(
        message[0].starts_with("lost worker 1: it has ended too early; start all"),
        "{message:?}"
    );
    assert_eq!(message[2], message[0]);
}

#[test]
fn a_worker_of_which_nothing_comes_is_given_up() {
    let given_up = std::sync::Barrier::new(2);
    let ended = at_work(by_queues(2), |endpoint| {
        let message = Message { numbers: Numbers::Integers(vec![1]), sums: Vec::new() };
        let mut end = Ok(());
        if endpoint.index() == 0 {
            endpoint.patience = Some(Duration::from_millis(10));
            end = endpoint.exchange(vec![message; 2]).map(|_| ());
        }
        given_up.wait();
        end
    });
    let message = ended[0].as_ref().unwrap_err().to_string();
    assert!(message.starts_with("lost worker 1: nothing has come from it for 10ms; "), "{message}");
}

#[test]
fn workers_with_other_checkpoints_or_none_are_named_and_nothing_is_lost() {
    let graph = web(&[300, 50, 200], 8);
    let options = RankOptions { most_iterations: 8, ..options() };
    let folders = [0, 1].map(|_| tempfile::tempdir().unwrap());
    let run = |settings: &(dyn Fn(usize) -> ClusterOptions + Sync)| {
        let ended = at_work(by_queues(2), |endpoint| {
            let settings = settings(endpoint.index());
            super::rank(&graph, &[Jump::Everywhere], &options, &settings, endpoint, &())
        });
        ended.into_iter().map(|end| end.err().map(|error| error.to_string())).collect::<Vec<_>>()
    };
    let own = |index: usize, resume| with_checkpoints(folders[index].path(), resume);
    assert_eq!(run(&|index| own(index, false)), [None, None]);
    let checkpoints = own(0, true).checkpoints.unwrap();
    assert_eq!(checkpoints.last(2), Ok(Some(6)));

    let elsewhere = tempfile::tempdir().unwrap();
    let message = run(&|index| match index {
        0 => own(0, true),
        _ => with_checkpoints(elsewhere.path(), true),
    });
    for message in message {
        assert!(message.unwrap().starts_with("no checkpoint of worker 1, though"));
    }
    assert_eq!(checkpoints.last(2), Ok(Some(6)));

    let message = run(&|index| {
        let mut settings = own(index, true);
        settings.checkpoints.as_mut().unwrap().every += index;
        settings
    });
    assert!(message.into_iter().all(|message| message.unwrap().contains("the same settings")));
    assert_eq!(run(&|index| own(index, true)), [None, None]);
}

#[test]
fn a_task_knows_strata_and_how_many_rankings_there_may_be() {
    let graph = |boilerplate| MemoryGraph::new(&[3], [(0, 1, boilerplate), (1, 2, false)]);
    let jumps = [Jump::Everywhere];
    let task = |graph: &MemoryGraph| super::task(graph, &jumps, &options());
    assert_ne!(task(&graph(true)), task(&graph(false)));
    assert_eq!(task(&graph(true)), task(&graph(true)));
    let many = vec![Jump::Set(vec![1]); MOST_LANES];
    assert_eq!(check(&graph(false), &many, &options()), Ok(()));
    let uniform = RankOptions { dangling: Dangling::Uniform, ..options() };
    let message = check(&graph(false), &many, &uniform).unwrap_err().to_string();
    assert!(
        message.starts_with("16 rankings, but several workers compute at most 15 "),
        "{message}"
    );
}

#[test]
fn peers_that_do_not_come_or_do_not_fit_are_named() {
    let short = Duration::from_millis(300);
    let message = |result: Result<Connected, Error>| result.err().unwrap().to_string();
    let peers = free_addresses(2);
    assert!(message(connect(&peers, 0, 1, short)).contains("has not called"));
    let error = message(connect(&peers, 1, 1, short));
    assert!(error.starts_with(&format!("cannot reach worker 0 at {}", peers[0])), "{error}");
    assert!(message(connect(&peers, 7, 1, Duration::MAX)).contains("there is no worker 7"));
    let nowhere = vec!["no port".to_owned(), peers[0].clone()];
    assert!(message(connect(&nowhere, 0, 1, short)).contains("cannot listen at no port"));
    assert!(message(connect(&nowhere, 1, 1, short)).contains("cannot reach worker 0 at no port"));

    let both = |first: (usize, u64), second: (usize, u64), peers: [&[String]; 2]| {
        std::thread::scope(|scope| {
            let one = scope.spawn(|| connect(peers[0], first.0, first.1, short).map(|_| ()));
            let other = scope.spawn(|| connect(peers[1], second.0, second.1, short).map(|_| ()));
            [one.join().unwrap(), other.join().unwrap()].map(|end| end.err().map(|e| e.to_string()))
        })
    };
    let ends = both((0, 1), (1, 2), [&peers, &peers]);
    assert!(ends.iter().flatten().any(|message| message.contains("other options")), "{ends:?}");
    let longer = [peers.clone(), free_addresses(1)].concat();
    let ends = both((0, 1), (1, 1), [&longer, &peers]);
    assert!(
        ends.iter().flatten().any(|message| message.contains("same list of peers")),
        "{ends:?}"
    );
}

#[test]
fn strangers_at_the_door_are_left_standing() {
    use std::io::Write;
    let peers = free_addresses(2);
    let ended = std::thread::scope(|scope| {
        let first = scope.spawn(|| connect(&peers, 0, 1, WAIT).map(|_| ()));
        let stranger = scope.spawn(|| {
            loop {
                if let Ok(mut stream) = std::net::TcpStream::connect(&peers[0]) {
                    return stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
                }
            }
        });
        let _ = stranger.join().unwrap();
        let second = connect(&peers, 1, 1, WAIT).map(|_| ());
        [first.join().unwrap(), second]
    });
    assert_eq!(ended, [Ok(()), Ok(())]);
}
