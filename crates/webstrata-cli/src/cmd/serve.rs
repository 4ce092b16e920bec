//! `webstrata serve`: the library as a server, with a web page.

use std::env;
use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use webstrata_feeds::fetch;
use webstrata_serve::{Limits, ServerSettings};

use webstrata_base::quantity::size;
use webstrata_terminal::args::{at_least_one, duration, listening};
use webstrata_terminal::exit::Exit;
use webstrata_terminal::program::Global;
use webstrata_terminal::report;

/// Where the token is, if no file is named.
const TOKEN: &str = "WEBSTRATA_TOKEN";

const EXAMPLES: &str = "\
Examples:
  webstrata serve                               then open http://127.0.0.1:8080/
  webstrata serve --port 9999
  webstrata serve --index index/ --store harbour
  webstrata serve --fetch                       also fetches pages by their address
  webstrata serve --listen 0.0.0.0:80 --token-file token --allow-host pages.example.org
  curl -s --data-binary @page.html -H 'Content-Type: text/html' http://127.0.0.1:8080/v1/extract

/openapi.json describes the API. /health and /metrics (Prometheus) are for monitoring. On SIGINT or SIGTERM
the server finishes its requests and ends; a second signal ends it at once.

The token is the first line of a file, or the environment variable WEBSTRATA_TOKEN. Clients must then send
`Authorization: Bearer TOKEN`; the web page asks for it.

Exit codes: 0 the server was stopped by a signal, 2 something failed.";

/// Serve extraction, search and a web page over HTTP
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The port or address to listen on; other machines can reach any address but loopback
    #[arg(short, long, visible_alias = "port", value_name = "PORT|ADDRESS")]
    #[arg(default_value = "127.0.0.1:8080", value_parser = listening)]
    listen: SocketAddr,

    /// An index to search (see `webstrata search index`)
    #[arg(long, value_name = "DIR")]
    index: Option<PathBuf>,

    /// The store of a stream, to show the status of its sites
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,

    /// Let clients have pages fetched by their address; private networks are refused
    #[arg(long)]
    fetch: bool,

    /// Also fetch from this machine (127.0.0.0/8, ::1)
    #[arg(long, requires = "fetch")]
    fetch_local: bool,

    /// A file with the token that clients must send
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// A host name of the server, besides localhost and IP addresses; * for any; may be repeated
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,

    /// An origin, such as `https://example.org`, whose pages may use the API; may be repeated
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,

    #[command(flatten)]
    limits: LimitArgs,
}

/// The limits of requests.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits of requests")]
struct LimitArgs {
    /// The size limit for a page, such as 500kB or 64MiB
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = body)]
    max_body: usize,

    /// The time limit for a page and its outputs, such as 100ms or 2s
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    deadline: Duration,

    /// Process this many pages at the same time [default: the number of processors]
    #[arg(short, long, value_name = "N", value_parser = at_least_one::<usize>)]
    jobs: Option<usize>,

    /// The number of pages that may wait; further requests are refused
    #[arg(long, value_name = "N", default_value = "1024")]
    queue: usize,

    /// The number of open connections; further ones wait
    #[arg(long, value_name = "N", default_value = "512", value_parser = at_least_one::<usize>)]
    connections: usize,

    /// How long running requests may take to finish when the server stops
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = duration)]
    grace: Duration,
}

fn body(written: &str) -> Result<usize, String> {
    let bytes =
        usize::try_from(size::parse(written)?).ok().filter(|bytes| (1..=1 << 30).contains(bytes));
    bytes.ok_or_else(|| "expected a size from 1 to 1G".into())
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let settings = args.settings()?;
    let has_token = settings.token.is_some();
    let listener = TcpListener::bind(args.listen);
    let listener = listener.with_context(|| format!("--listen {}", args.listen))?;
    let address = listener.local_addr()?;
    let ready = || {
        // The one line that scripts wait for.
        report::line(&format!("serving at http://{address}/"));
        if !address.ip().is_loopback() && !has_token && !global.quiet {
            report::line(
                "warning: anyone who can reach this machine can use it; set a token with --token-file FILE",
            );
        }
    };
    let served = webstrata_serve::run_with_callback(settings, listener, ready);
    served.map_err(|error| anyhow!("{error}"))?;
    Ok(Exit::Text)
}

impl Args {
    fn settings(&self) -> anyhow::Result<ServerSettings> {
        for folder in [&self.index, &self.store].into_iter().flatten() {
            if !folder.is_dir() {
                bail!("{}: no such directory", folder.display());
            }
        }
        Ok(ServerSettings {
            limits: self.limits.limits(),
            fetch: self.fetch.then(|| self.fetching()),
            index: self.index.clone(),
            store: self.store.clone(),
            token: self.token()?,
            allow_hosts: self.allow_host.clone(),
            allow_origins: self.allow_origin.clone(),
        })
    }

    fn fetching(&self) -> fetch::FetchSettings {
        let local = ["127.0.0.0/8", "::1"].into_iter().filter(|_| self.fetch_local);
        let allow = local.filter_map(|network| network.parse().ok()).collect();
        fetch::FetchSettings { allow, ..fetch::FetchSettings::default() }
    }

    fn token(&self) -> anyhow::Result<Option<String>> {
        match &self.token_file {
            Some(path) => read_token(path).map(Some),
            None => match env::var(TOKEN) {
                Ok(token) => Ok(Some(token)),
                Err(env::VarError::NotPresent) => Ok(None),
                Err(error) => Err(error).context(TOKEN),
            },
        }
    }
}

fn read_token(path: &Path) -> anyhow::Result<String> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    match text.lines().next().map(str::trim) {
        Some(token) if !token.is_empty() => Ok(token.to_owned()),
        _ => bail!("{}: empty; write the token into its first line", path.display()),
    }
}

impl LimitArgs {
    fn limits(&self) -> Limits {
        let default = Limits::default();
        let workers = self.jobs.unwrap_or(default.workers);
        Limits {
            body: self.max_body,
            bodies: default.bodies.max(4 * self.max_body),
            deadline: self.deadline,
            workers,
            batch: 2 * workers,
            queue: self.queue,
            connections: self.connections,
            grace: self.grace,
            ..default
        }
    }
}
