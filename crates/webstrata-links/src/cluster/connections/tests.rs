use timely_communication::networking::MessageHeader;

use super::*;

#[test]
fn a_call_that_was_given_up_is_not_taken_for_a_connection() {
    let listeners = [0, 1].map(|_| TcpListener::bind("127.0.0.1:0").unwrap());
    let peers = listeners.map(|listener| listener.local_addr().unwrap().to_string());
    let liveness = Arc::new(Liveness::default());
    let open = |index| connect(&peers, index, 7, 2 * GREETING_TIMEOUT, &liveness);
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| open(0));
        let caller = Greeting { index: 1, workers: 2, task: 7 };
        let given_up = loop {
            if let Ok(stream) = TcpStream::connect(&peers[0]) {
                break stream;
            }
            std::thread::sleep(PAUSE);
        };
        caller.send(&given_up).unwrap();
        assert_eq!(
            Greeting::receive(&given_up, Instant::now() + GREETING_TIMEOUT).unwrap().index,
            0
        );
        drop(given_up);
        let second = open(1);
        (first.join().unwrap().unwrap(), second.unwrap())
    });
    let (mut first, mut second) = (first, second);
    second[0].as_mut().unwrap().write_all(b"here").unwrap();
    let mut bytes = [0; 4];
    first[1].as_mut().unwrap().read_exact(&mut bytes).unwrap();
    assert_eq!(&bytes, b"here");
}

#[test]
fn who_calls_and_says_nothing_delays_nobody() {
    let listeners = [0, 1].map(|_| TcpListener::bind("127.0.0.1:0").unwrap());
    let peers = listeners.map(|listener| listener.local_addr().unwrap().to_string());
    let liveness = Arc::new(Liveness::default());
    // Were they listened to one after the other, each would take all of the time.
    let open = |index| connect(&peers, index, 7, GREETING_TIMEOUT, &liveness);
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| open(0));
        let mut silent = Vec::new();
        while silent.len() < MOST_CALLERS + 8 {
            match TcpStream::connect(&peers[0]) {
                Ok(stream) => silent.push(stream),
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
        // Others talk, but not as workers do.
        (&silent[MOST_CALLERS]).write_all(&[7; 40]).unwrap();
        (&silent[MOST_CALLERS + 1]).write_all(b"GET").unwrap();
        let second = open(1);
        (first.join().unwrap().unwrap(), second.unwrap())
    });
    let (mut first, mut second) = (first, second);
    first[1].as_mut().unwrap().write_all(b"here").unwrap();
    let mut bytes = [0; 4];
    second[0].as_mut().unwrap().read_exact(&mut bytes).unwrap();
    assert_eq!(&bytes, b"here");
    for connection in [&first[1], &second[0]] {
        let socket = SockRef::from(&connection.as_ref().unwrap().stream);
        assert!(socket.keepalive().unwrap());
    }
}

#[test]
fn a_greeting_that_drips_has_an_end() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let caller = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (stream, _) = listener.accept().unwrap();
    let heard = std::thread::scope(|scope| {
        let until = Instant::now() + 4 * PAUSE;
        let heard = scope.spawn(move || Greeting::receive(&stream, until));
        // A byte is always in time for the next one, all of them are not.
        while !heard.is_finished() {
            let _ = (&caller).write_all(&[0]);
            std::thread::sleep(PAUSE / 2);
        }
        heard.join().unwrap()
    });
    let error = heard.unwrap_err().kind();
    assert!(matches!(error, ErrorKind::TimedOut | ErrorKind::WouldBlock), "{error}");
}

#[test]
fn only_workers_behind_this_one_call_and_only_once() {
    let peers = ["a:1", "b:1", "c:1"].map(str::to_owned);
    let mine = Greeting { index: 1, workers: 3, task: 7 };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let mut streams = [None, None, None];
    assert_eq!(check_place(2, &streams, &mine, &peers), Ok(()));
    assert!(check_place(0, &streams, &mine, &peers).is_err());
    assert!(check_place(9, &streams, &mine, &peers).is_err());
    streams[2] = Some(stream);
    assert!(check_place(2, &streams, &mine, &peers).is_err());
}

#[test]
fn the_orderly_end_of_a_connection_is_seen_however_it_is_cut() {
    let mut bytes = Vec::new();
    for length in [3, 100, 48, 0] {
        let header = MessageHeader {
            channel: 0,
            source: 1,
            target_lower: 0,
            target_upper: 1,
            length,
            seqno: 7,
        };
        header.write_to(&mut bytes).unwrap();
        assert_eq!(header.header_bytes(), HEAD);
        bytes.extend(std::iter::repeat_n(0, length));
    }
    for piece in 1..bytes.len() {
        let mut frames = Frames::default();
        let mut read = 0;
        for bytes in bytes.chunks(piece) {
            assert!(!frames.ended);
            frames.follow(bytes);
            read += bytes.len();
        }
        assert!(frames.ended && read == bytes.len());
    }
}
