//! Folders: sorted, at any depth, without circles.

use webstrata_archive::{Limits, Source};

use crate::writing::{all, gzip, page, write};

fn names(folder: &tempfile::TempDir, source: Source) -> Vec<String> {
    let root = format!("{}/", folder.path().display());
    let (pages, problems) = all(source);
    assert_eq!(problems, []);
    pages.iter().map(|page| page.name.replace(&root, "")).collect()
}

#[test]
fn pages_and_archives_in_order() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["b.HTML", "a/z.htm", "a/b/c.xhtml", "a.txt", ".html", "results.jsonl", "html"] {
        write(&folder, name, b"<p>text");
    }
    let archive = [gzip(&page(1)), gzip(&page(2))];
    write(&folder, "a/crawl.warc.gz", &archive.concat());
    let root = [folder.path().to_owned()];
    let second = archive[0].len();
    let expect = vec![
        "a/b/c.xhtml".to_owned(),
        "a/crawl.warc.gz#0".into(),
        format!("a/crawl.warc.gz#{second}"),
        "a/z.htm".into(),
        "b.HTML".into(),
    ];
    assert_eq!(names(&folder, Source::open(&root, Limits::default())), expect);
    let txt = Source::open_with(&root, &["txt"], Limits::default());
    assert_eq!(names(&folder, txt), ["a.txt"]);
}

#[test]
fn what_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().to_owned();
    let paths = [here.clone(), here.join("no.html"), here.join("no.warc.gz"), here.join("a.html")];
    write(&folder, "a.html", b"<p>text");
    std::fs::create_dir(here.join("empty")).unwrap();
    let (pages, problems) = all(Source::open(&paths, Limits::default()));
    assert_eq!((pages.len(), problems.len()), (2, 2));
    assert!(problems[0].to_string().contains("no.html: No such file"), "{}", problems[0]);
    let (pages, problems) = all(Source::open(&[here.join("empty")], Limits::default()));
    assert!(pages.is_empty() && problems[0].message.starts_with("no pages in this folder"));
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_in_circles() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let page = write(&folder, "a/page.html", b"<p>text");
    symlink(folder.path(), folder.path().join("a/up")).unwrap();
    symlink(&page, folder.path().join("link.html")).unwrap();
    symlink(folder.path().join("nothing"), folder.path().join("lost.html")).unwrap();
    let (pages, problems) = all(Source::open(&[folder.path().to_owned()], Limits::default()));
    let last = |name: &str| name.rsplit('/').next().unwrap().to_owned();
    let pages: Vec<_> = pages.iter().map(|page| last(&page.name)).collect();
    assert_eq!(pages, ["page.html", "link.html"]);
    assert_eq!(problems.len(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in
        [(&b"caf\xe9.html"[..], &b"<p>text"[..]), (b"\xff.warc.gz", &gzip(&page(1)))]
    {
        std::fs::write(folder.path().join(OsStr::from_bytes(name)), bytes).unwrap();
    }
    let (pages, problems) = all(Source::open(&[folder.path().to_owned()], Limits::default()));
    assert_eq!((pages.len(), problems), (2, vec![]));
}
