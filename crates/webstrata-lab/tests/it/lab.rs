//! The laboratory from a folder of pages to a report.

use std::fs;
use std::path::Path;

use webstrata_lab::lab::{Lab, Part};

use crate::exactness::invented;

/// What was written, and when, so that a second run can be seen to have reused it.
fn kept(out: &Path) -> Vec<(String, std::time::SystemTime)> {
    let mut kept: Vec<_> = fs::read_dir(out.join("steps"))
        .unwrap()
        .map(|file| {
            let file = file.unwrap();
            (file.file_name().into_string().unwrap(), file.metadata().unwrap().modified().unwrap())
        })
        .collect();
    kept.sort();
    kept
}

#[test]
fn a_report_is_made_once_and_taken_up_again() {
    let folder = tempfile::tempdir().unwrap();
    let corpora = folder.path().join("sets");
    invented(&corpora.join("l3s-gn1"), 24);
    let peer = folder.path().join("peers/parrot");
    fs::create_dir_all(&peer).unwrap();
    let line = r#"{"id": "03", "text": "Late again, day 3"}"#;
    fs::write(peer.join("l3s-gn1.jsonl"), format!("{line}\nno object\n")).unwrap();
    let book = folder.path().join("tides.txt");
    fs::write(&book, "High water at noon.\n\nLow water at six.\n").unwrap();
    let lab = Lab {
        corpora,
        out: folder.path().join("report"),
        outputs: vec![folder.path().join("peers")],
        texts: vec![book],
        only: Vec::new(),
    };

    let report = lab.run(&()).unwrap().to_json();
    let page = fs::read_to_string(lab.out.join("index.html")).unwrap();
    for part in ["Table 1", "Figure 1", "Table 2", "Figure 2", "Figure 5", "Figures 3 and 4"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("parrot") && page.contains("<svg"));
    assert!(page.contains("Figures 4.22 and 4.26") && page.contains("tides"));
    let first = kept(&lab.out);
    assert!(first.len() > 50);
    // Twenty splits for what is compared with the paper, few for what is tried beside.
    let swarms = first.iter().filter(|(name, _)| name.starts_with("swarm-")).count();
    assert!((60..100).contains(&swarms), "{swarms}");

    // A part alone is the same as in the whole.
    let only = Lab { only: vec![Part::Densities], ..lab.clone() };
    let alone = only.run(&()).unwrap();
    assert_eq!(alone.comparisons().len(), 0);
    let alone = fs::read_to_string(lab.out.join("index.html")).unwrap();
    assert!(alone.contains("Figures 4.22 and 4.26") && !alone.contains("Table 2"));
    let kept_again = kept(&lab.out);
    assert_eq!(kept_again, first);

    // Nothing is computed again, except what was damaged.
    let damaged = "figure-5.json";
    fs::write(lab.out.join("steps").join(damaged), "{").unwrap();
    assert_eq!(lab.run(&()).unwrap().to_json(), report);
    let second = kept(&lab.out);
    for (before, after) in first.iter().zip(&second) {
        assert_eq!(before.0, after.0);
        assert_eq!(before.1 == after.1, before.0 != damaged, "{}", before.0);
    }
}

#[test]
fn without_the_annotated_news_there_is_no_report() {
    let folder = tempfile::tempdir().unwrap();
    let lab = Lab { corpora: folder.path().into(), out: folder.path().into(), ..Lab::default() };
    let error = lab.run(&()).unwrap_err().to_string();
    assert!(error.contains("l3s-gn1") && error.contains("no such folder"), "{error}");
}
