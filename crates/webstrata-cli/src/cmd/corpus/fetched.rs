//! The pages of a pipeline's addresses, fetched before anything else and kept as web archives.
//!
//! What servers send is never the same twice. So the pages are written down first, and the archives are ordinary sources
//! from then on: the rest of a pipeline, and every later run, reads bytes that do not change.

#[cfg(feature = "stream")]
pub(super) use fetching::archives;
#[cfg(not(feature = "stream"))]
pub(super) use nothing::archives;

#[cfg(feature = "stream")]
mod fetching {
    use std::collections::HashMap;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use anyhow::{anyhow, bail};
    use webstrata_base::Error;
    use webstrata_corpus::pipeline::Pipeline;
    use webstrata_feeds::addresses::{self, Addresses, Failed, Found, Kept, Outcome};
    use webstrata_feeds::fetch::FetchSettings;
    use webstrata_terminal::addresses::is_address;
    use webstrata_terminal::report::{NOTES, Report};

    use crate::cmd::addresses::{Tally, fetcher_of, summary};
    use crate::cmd::corpus::RunArgs;

    /// Fetches what is not there yet; returns the archives.
    pub(in crate::cmd::corpus) fn archives(
        args: &RunArgs,
        pipeline: &Pipeline,
        home: &Path,
        report: &mut Report,
    ) -> anyhow::Result<Vec<PathBuf>> {
        let Some(folder) = &pipeline.fetched else {
            nothing_asked(args)?;
            return Ok(Vec::new());
        };
        if args.dry_run {
            return if folder.is_dir() { Ok(Kept::files(folder)?) } else { Ok(Vec::new()) };
        }
        let settings: FetchSettings = pipeline.fetch.clone().try_into().map_err(|error| {
            let (shown, error) = (args.pipeline.display(), Error::new(error));
            anyhow!("{shown}: fetch: {error}")
        })?;
        let addresses = of(pipeline, home);
        let failed = if args.refresh { Failed::Again } else { Failed::Stay };
        let kept = Kept::open(folder, failed)?;
        if args.refresh || is_new(&kept, &addresses)? {
            let fetcher = Arc::new(fetcher_of(settings)?);
            all(addresses::fetch(fetcher, &addresses, Some(kept))?, report)?;
        }
        Ok(Kept::files(folder)?)
    }

    /// What asks for addresses wants some.
    fn nothing_asked(args: &RunArgs) -> anyhow::Result<()> {
        let asked = match () {
            () if args.fetch_only => "--fetch-only",
            () if args.refresh => "--refresh",
            () => return Ok(()),
        };
        let shown = args.pipeline.display();
        bail!("{asked}: {shown} has no addresses to fetch; name some in `urls` or `sitemaps`")
    }

    /// The addresses of a pipeline; names of files are relative to it.
    fn of(pipeline: &Pipeline, home: &Path) -> Addresses {
        let is_named = |url: &&String| is_address(Path::new(url.as_str()));
        let (named, lists): (Vec<_>, Vec<_>) = pipeline.urls.iter().partition(is_named);
        Addresses {
            named: named.into_iter().cloned().collect(),
            lists: lists.into_iter().map(|list| home.join(list)).collect(),
            sitemaps: pipeline.sitemaps.clone(),
        }
    }

    /// Is there something to fetch? A run that only goes on with the rest asks no server.
    fn is_new(kept: &Kept, addresses: &Addresses) -> anyhow::Result<bool> {
        if !kept.is_ended() || addresses.sitemaps.iter().any(|url| !kept.knows_sitemap(url)) {
            return Ok(true);
        }
        let mut listed = addresses.listed()?;
        Ok(listed.any(|found| match found {
            Found::Address(written) => {
                addresses::normal(&written).is_ok_and(|normal| !kept.knows(&normal))
            }
            _ => true,
        }))
    }

    fn all(
        fetching: impl Iterator<Item = Result<Outcome, webstrata_feeds::Error>>,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        report.progress(None, false);
        let (mut tally, mut noted) = (Tally::default(), HashMap::new());
        for outcome in fetching {
            let is_problem = matches!(&outcome, Ok(Outcome::Problem(..)));
            let reason = match &outcome {
                Ok(Outcome::Missed(_, why)) => why.reason.clone(),
                _ => String::new(),
            };
            match tally.one(outcome) {
                Some(Ok(_)) => report.advance(),
                // What cannot be read at all is the reason why the run ends below.
                Some(Err(problem)) if is_problem => report.failure(&problem),
                // The journal has all of them.
                Some(Err(problem)) => {
                    let count = noted.entry(reason).or_insert(0);
                    *count += 1;
                    if *count <= NOTES {
                        report.note(&problem);
                    }
                }
                None => {}
            }
        }
        report.finish();
        if !summary(&mut tally, report)? {
            bail!(
                "not all addresses could be asked for; the same command asks again, and goes on there"
            );
        }
        let again = tally.again;
        if again > 0 {
            report.note(format_args!(
                "{again} of these may be there another time, or with other settings: --refresh asks again"
            ));
        }
        Ok(())
    }
}

#[cfg(not(feature = "stream"))]
mod nothing {
    use std::path::{Path, PathBuf};

    use anyhow::bail;
    use webstrata_corpus::pipeline::Pipeline;
    use webstrata_terminal::report::Report;

    use crate::cmd::addresses::NOT_BUILT;
    use crate::cmd::corpus::RunArgs;

    /// The archives that are fetched: by other builds.
    pub(in crate::cmd::corpus) fn archives(
        args: &RunArgs,
        pipeline: &Pipeline,
        _: &Path,
        _: &mut Report,
    ) -> anyhow::Result<Vec<PathBuf>> {
        if pipeline.fetched.is_some() || args.fetch_only || args.refresh {
            bail!(NOT_BUILT);
        }
        Ok(Vec::new())
    }
}
