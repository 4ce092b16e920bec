//! What the core says of pages where there is no WebAssembly, for `wasm/test` to compare with: for each file a line
//! of JSON, its record with all parts, or with `--explain` its explanation. With `--time ROUNDS`, for `bench.mjs`, the
//! seconds that its record without parts takes at best.
//!
//! `cargo run -p webstrata-wasm --example native -- [--extractor NAME] [--explain] [--time ROUNDS] FILE…`

use std::hint::black_box;
use std::io::{Write, stdout};
use std::time::{Duration, Instant};

use webstrata::output::{Explanation, OutputOptions, RecordPart};
use webstrata::{Extractor, Options, Page, Record};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut extractor = Extractor::default_builtin();
    let mut explains = false;
    let mut rounds = 0;
    let mut arguments = std::env::args().skip(1);
    let mut out = stdout().lock();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--explain" => explains = true,
            "--extractor" => {
                let name = arguments.next().unwrap_or_default();
                extractor = Extractor::named(&name).ok_or("no such extractor")?;
            }
            "--time" => rounds = arguments.next().unwrap_or_default().parse()?,
            file if rounds > 0 => {
                let page = std::fs::read(file)?;
                let times = (0..rounds).map(|_| time(&page, extractor));
                writeln!(out, "{}", times.min().unwrap_or_default().as_secs_f64())?;
            }
            file => {
                let page = std::fs::read(file)?;
                writeln!(out, "{}", line(&page, extractor, explains)?)?;
            }
        }
    }
    Ok(())
}

fn line(page: &[u8], extractor: &Extractor, explains: bool) -> serde_json::Result<String> {
    let options = Options { url: Some("https://harbour.example/a/".into()), ..Options::default() };
    let markup = OutputOptions { links: true, images: true, ..OutputOptions::DEFAULT };
    if explains {
        let page = Page::read(page, extractor.cutting, &options);
        return serde_json::to_string(&Explanation::of(page, extractor, &RecordPart::ALL, &markup));
    }
    let page = extractor.extract_page(page, &options);
    serde_json::to_string(&Record::of(&page, &RecordPart::ALL, &markup))
}

fn time(page: &[u8], extractor: &Extractor) -> Duration {
    let start = Instant::now();
    let page = extractor.extract_page(page, &Options::default());
    let record = Record::of(&page, &[], &OutputOptions::DEFAULT);
    let _ = black_box(serde_json::to_string(&record));
    start.elapsed()
}
