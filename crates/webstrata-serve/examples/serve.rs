//! The server without the rest of the command: `cargo run -p webstrata-serve --example serve -- ADDRESS
//! [--index DIR] [--store DIR] [--fetch] [--fetch-local]`.

use std::net::TcpListener;

use webstrata_feeds::fetch;
use webstrata_serve::{Error, ServerSettings, run};

fn main() -> Result<(), Error> {
    let mut settings = ServerSettings::default();
    let mut address = "127.0.0.1:8080".to_owned();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--index" => settings.index = arguments.next().map(Into::into),
            "--store" => settings.store = arguments.next().map(Into::into),
            "--token" => settings.token = arguments.next(),
            "--fetch" => settings.fetch = Some(fetch::FetchSettings::default()),
            "--fetch-local" => {
                let networks = ["127.0.0.0/8", "::1"].iter().filter_map(|text| text.parse().ok());
                let allow = networks.collect();
                settings.fetch =
                    Some(fetch::FetchSettings { allow, ..fetch::FetchSettings::default() });
            }
            _ => address = argument,
        }
    }
    let listener = TcpListener::bind(&address)?;
    eprintln!("http://{}/", listener.local_addr()?);
    run(settings, listener)
}
