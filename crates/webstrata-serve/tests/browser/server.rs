//! A server of its own for each test, on a port that the system chooses.

use std::net::TcpListener;
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot;
use webstrata_serve::{ServerSettings, serve};

pub(crate) struct Server {
    pub(crate) origin: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(settings: ServerSettings) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let origin = format!("http://{}", listener.local_addr().expect("its address"));
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
            let runtime = runtime.expect("a runtime");
            let served = runtime.block_on(serve(settings, listener, async {
                let _ = stopped.await;
            }));
            runtime.shutdown_background();
            served.expect("a server");
        });
        Server { origin, stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
