//! Pages by their addresses: those that are named, those of lists, those of sitemaps.

use std::path::PathBuf;
use std::time::Duration;

use webstrata_terminal::addresses::is_address;
use webstrata_terminal::args::duration;

/// Where addresses come from, and how they are fetched.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Addresses")]
#[cfg_attr(
    not(feature = "stream"),
    allow(dead_code, reason = "a build that fetches nothing only says so")
)]
pub(crate) struct AddressArgs {
    /// Fetch the addresses of a list, one on each line; - for stdin
    #[arg(long, value_name = "FILE|-")]
    pub(crate) urls: Vec<PathBuf>,

    /// Fetch the addresses of a sitemap, or of those that a robots.txt names
    #[arg(long, value_name = "URL")]
    pub(crate) sitemap: Vec<String>,

    /// Keep fetched pages in this directory as web archives; the same command goes on there
    #[arg(long, value_name = "DIR")]
    pub(crate) pages: Option<PathBuf>,

    /// Also fetch from this network, such as 127.0.0.0/8; private networks are refused
    #[arg(long, value_name = "NETWORK")]
    pub(crate) allow: Vec<String>,

    /// The least time between two requests to a host
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = delay)]
    pub(crate) host_delay: Duration,

    /// Who asks; the part before the first / is the name for robots.txt [default: webstrata/VERSION]
    #[arg(long, value_name = "NAME")]
    pub(crate) user_agent: Option<String>,
}

/// A duration that may be nothing.
fn delay(written: &str) -> Result<Duration, String> {
    if written.trim() == "0s" { Ok(Duration::ZERO) } else { duration(written) }
}

impl AddressArgs {
    /// Takes the addresses out of the paths, if they go the way of lists.
    fn split(&self, paths: &[PathBuf]) -> Option<(Vec<String>, Vec<PathBuf>)> {
        if self.urls.is_empty() && self.sitemap.is_empty() && self.pages.is_none() {
            return None;
        }
        let (named, paths): (Vec<_>, Vec<_>) = paths.iter().partition(|path| is_address(path));
        let named = named.into_iter().map(|path| path.to_string_lossy().into_owned());
        Some((named.collect(), paths.into_iter().cloned().collect()))
    }
}

#[cfg(feature = "stream")]
pub(crate) use fetching::{Tally, fetcher_of, summary};

#[cfg(feature = "stream")]
mod fetching {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
    use std::time::SystemTime;

    use anyhow::{Context, anyhow, bail};
    use webstrata_archive::{Arrival, Limits, Problem};
    use webstrata_feeds::Error;
    use webstrata_feeds::addresses::{
        self, Addresses, Failed, Fetching, Kept, KeptPages, Missed, Outcome, SITEMAP, no_page,
    };
    use webstrata_feeds::fetch::{Answer, FailureKind, FetchSettings, Fetcher, Validators};
    use webstrata_terminal::addresses::{Fetch, not_fetched};
    use webstrata_terminal::input::Inputs;
    use webstrata_terminal::report::Report;

    use super::{AddressArgs, PathBuf};

    const ONLINE: &str = "is this machine online? HTTPS_PROXY names a proxy";

    impl AddressArgs {
        fn settings(&self) -> anyhow::Result<FetchSettings> {
            let default = FetchSettings::default();
            let networks = self.allow.iter().map(|network| network.parse());
            let allow = networks.collect::<Result<_, String>>();
            Ok(FetchSettings {
                allow: allow.map_err(|wrong| anyhow!("--allow: {wrong}"))?,
                host_delay: self.host_delay,
                user_agent: self.user_agent.clone().unwrap_or(default.user_agent.clone()),
                ..default
            })
        }

        /// Finds the inputs of a command, with its addresses.
        pub(crate) fn inputs(
            &self,
            paths: &[PathBuf],
            extensions: &[String],
            command: &str,
            limits: Limits,
        ) -> anyhow::Result<(Inputs, Option<Crawl>)> {
            let fetch = || -> anyhow::Result<Arc<dyn Fetch>> {
                Ok(Arc::new(One(fetcher_of(self.settings()?)?)))
            };
            let Some((named, paths)) = self.split(paths) else {
                return Ok((Inputs::find_with(paths, extensions, command, fetch)?, None));
            };
            let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
            if self.urls.iter().chain(&paths).filter(|path| is_stdin(path)).count() > 1 {
                bail!("--urls -: stdin is the list, it cannot be read for something else, too");
            }
            let (lists, sitemaps) = (self.urls.clone(), self.sitemap.clone());
            let addresses = Addresses { named, lists, sitemaps };
            if addresses == Addresses::default() {
                bail!("--pages is for pages that are fetched; name addresses, --urls or --sitemap");
            }
            let kept = self.pages.as_ref().map(|folder| Kept::open(folder, Failed::Again));
            let fetcher = fetcher_of(self.settings()?)?;
            let crawl = Crawl::begin(&Arc::new(fetcher), &addresses, kept.transpose()?, limits)?;
            let arriving = Box::new(crawl.pages());
            let inputs = if paths.is_empty() {
                Inputs::arriving(arriving)
            } else {
                let mut inputs = Inputs::find_with(&paths, extensions, command, fetch)?;
                inputs.arrive(arriving);
                inputs
            };
            Ok((inputs, Some(crawl)))
        }
    }

    pub(crate) fn fetcher_of(settings: FetchSettings) -> anyhow::Result<Fetcher> {
        Fetcher::new(settings).context("cannot fetch")
    }

    /// Fetches addresses that are inputs, one at a time.
    struct One(Fetcher);

    impl Fetch for One {
        fn fetch(&self, address: &str) -> Result<Arrival, String> {
            let answer = self.0.get(address, &Validators::default());
            let page = match answer.map_err(|failure| match failure.kind() {
                FailureKind::Network => format!("{}; {ONLINE}", failure.message()),
                _ => Missed::new(address, &failure).message,
            })? {
                Answer::Page(page) => page,
                Answer::NotModified { .. } => return Err("the server sent no page".into()),
            };
            match no_page(page.content_type.as_deref(), &page.body) {
                Some(why) => Err(why.message),
                None => Ok(addresses::arrival(address, *page, SystemTime::now())),
            }
        }
    }

    /// What was counted while addresses were fetched.
    #[derive(Debug, Default)]
    pub(crate) struct Tally {
        pub(crate) fetched: u64,
        /// Pages that an earlier run has fetched.
        pub(crate) kept: u64,
        pub(crate) failed: BTreeMap<String, u64>,
        /// Of these, how many may be there another time, or with other settings.
        pub(crate) again: u64,
        /// Addresses that were tried in vain before anything answered, and what the first of them said.
        offline: Option<(usize, String)>,
        error: Option<Error>,
        /// Sitemaps and lists that were named and cannot be read.
        problems: u64,
    }

    /// Addresses that are being fetched.
    pub(crate) struct Crawl {
        tally: Arc<Mutex<Tally>>,
        begun: Mutex<Option<(Option<KeptPages>, Fetching)>>,
    }

    impl Crawl {
        /// Begins to fetch.
        pub(crate) fn begin(
            fetcher: &Arc<Fetcher>,
            addresses: &Addresses,
            kept: Option<Kept>,
            limits: Limits,
        ) -> anyhow::Result<Crawl> {
            // Read while the others are fetched.
            let pages = kept.as_ref().map(|kept| kept.pages(limits)).transpose()?;
            let fetching = addresses::fetch(fetcher.clone(), addresses, kept)?;
            Ok(Crawl { tally: Arc::default(), begun: Mutex::new(Some((pages, fetching))) })
        }

        fn tally(&self) -> MutexGuard<'_, Tally> {
            lock(&self.tally)
        }

        /// The pages: first those that were there before, then those that come.
        fn pages(&self) -> impl Iterator<Item = Result<(String, Arrival), Problem>> + Send + use<> {
            let (kept, fetching) = lock(&self.begun).take().unzip();
            let tally = self.tally.clone();
            let before = kept.flatten().into_iter().flatten().inspect({
                let tally = tally.clone();
                move |page| lock(&tally).kept += u64::from(page.is_ok())
            });
            let coming = fetching.into_iter().flatten();
            before.chain(coming.filter_map(move |outcome| lock(&tally).one(outcome)))
        }

        /// Says what came of it. Nothing at all is a failure, and so is a sitemap that cannot be read: nobody knows what is
        /// missing.
        pub(crate) fn finish(&self, report: &mut Report) -> anyhow::Result<()> {
            let mut tally = self.tally();
            summary(&mut tally, report)?;
            let sitemaps = tally.failed.get(SITEMAP).copied().unwrap_or_default();
            let unread = tally.problems + sitemaps;
            if unread > 0 {
                report.failure(format_args!(
                    "sitemaps and lists that cannot be read, or not as a whole: {unread}; what they name is missing"
                ));
            } else if tally.fetched + tally.kept == 0 && !tally.failed.is_empty() {
                report.failure("none of the addresses has a page");
            }
            Ok(())
        }
    }

    /// Says what came of addresses; `false` if not all of them could be asked for.
    pub(crate) fn summary(tally: &mut Tally, report: &mut Report) -> anyhow::Result<bool> {
        if let Some(error) = tally.error.take() {
            bail!("{error}; make room or mend it, and run the same command: it goes on there");
        }
        if let Some((count, first)) = &tally.offline {
            report.failure(format_args!(
                "none of {count} addresses could be reached, {first}; {ONLINE}"
            ));
        }
        let Tally { fetched, kept, failed, .. } = tally;
        let missed: u64 = failed.values().sum();
        let before = if *kept > 0 { format!(", there before: {kept}") } else { String::new() };
        report.note(format_args!("pages fetched: {fetched}{before}, addresses without: {missed}"));
        for (reason, count) in failed {
            report.note(format_args!("not fetched, {reason}: {count}"));
        }
        Ok(tally.problems == 0 && tally.offline.is_none())
    }

    impl Tally {
        /// The page of an outcome, or what there is to say.
        pub(crate) fn one(
            &mut self,
            outcome: Result<Outcome, Error>,
        ) -> Option<Result<(String, Arrival), Problem>> {
            match outcome {
                Ok(Outcome::Page(address, page)) => {
                    self.fetched += 1;
                    Some(Ok((address, *page)))
                }
                Ok(Outcome::Missed(address, why)) => {
                    *self.failed.entry(why.reason).or_default() += 1;
                    self.again += u64::from(why.is_temporary);
                    Some(Err(not_fetched(&address, why.message)))
                }
                Ok(Outcome::Problem(url, message)) => {
                    self.problems += 1;
                    Some(Err(not_fetched(&url, message)))
                }
                Ok(Outcome::Note(note)) => {
                    let (about, message) = note.split_once(": ").unwrap_or(("addresses", &note));
                    Some(Err(not_fetched(about, message.to_owned())))
                }
                Ok(Outcome::Offline(tried)) => {
                    let count = self.offline.take().map_or(0, |(count, _)| count) + tried.len();
                    let first = tried.first().map_or(String::new(), |(address, why)| {
                        format!("{address}: {}", why.message)
                    });
                    self.offline = Some((count, first));
                    None
                }
                Err(error) => {
                    self.error = Some(error);
                    None
                }
            }
        }
    }

    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(not(feature = "stream"))]
mod nothing {
    use anyhow::bail;
    use webstrata_archive::Limits;
    use webstrata_terminal::addresses::is_address;
    use webstrata_terminal::input::Inputs;
    use webstrata_terminal::report::Report;

    use super::{AddressArgs, PathBuf};

    /// What a build without a fetcher says.
    pub(crate) const NOT_BUILT: &str =
        "this build fetches no pages; build it with the feature `stream`, which is on by default";

    /// There is none in this build.
    pub(crate) enum Crawl {}

    impl Crawl {
        pub(crate) fn finish(&self, _: &mut Report) -> anyhow::Result<()> {
            match *self {}
        }
    }

    impl AddressArgs {
        /// Finds the inputs of a command.
        pub(crate) fn inputs(
            &self,
            paths: &[PathBuf],
            extensions: &[String],
            command: &str,
            limits: Limits,
        ) -> anyhow::Result<(Inputs, Option<Crawl>)> {
            let asks = self.split(paths).is_some();
            if asks || paths.iter().any(|path| is_address(path)) {
                bail!(NOT_BUILT);
            }
            Ok((Inputs::find(paths, extensions, command)?.limited(limits), None))
        }
    }
}

#[cfg(not(feature = "stream"))]
pub(crate) use nothing::NOT_BUILT;
