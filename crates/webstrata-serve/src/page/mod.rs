//! The web page: files that are part of the program, so that it needs no network and no installation.
//! No framework and no build step: what is here is what browsers get.

/// A file of the page.
pub(crate) struct Asset {
    /// What it is called below `/assets/`.
    pub(crate) name: &'static str,
    /// What it is.
    pub(crate) media_type: &'static str,
    /// What is in it.
    pub(crate) bytes: &'static [u8],
}

/// The page itself.
pub(crate) static INDEX: Asset = Asset {
    name: "index.html",
    media_type: "text/html; charset=utf-8",
    bytes: include_bytes!("index.html"),
};

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// A script in `js/`.
macro_rules! script {
    ($name:literal) => {
        Asset { name: $name, media_type: SCRIPT, bytes: include_bytes!(concat!("js/", $name)) }
    };
}

/// A page to try; as plain text, since it is to be read and not to be opened.
macro_rules! example {
    ($name:literal) => {
        Asset {
            name: $name,
            media_type: "text/plain; charset=utf-8",
            bytes: include_bytes!(concat!("examples/", $name)),
        }
    };
}

/// What it loads.
pub(crate) static ASSETS: &[Asset] = &[
    Asset {
        name: "app.css",
        media_type: "text/css; charset=utf-8",
        bytes: include_bytes!("app.css"),
    },
    Asset { name: "icon.svg", media_type: "image/svg+xml", bytes: include_bytes!("icon.svg") },
    example!("news.html"),
    example!("thread.html"),
    script!("align.js"),
    script!("api.js"),
    script!("blocks.js"),
    script!("curve.js"),
    script!("dom.js"),
    script!("explain.js"),
    script!("extractors.js"),
    script!("facets.js"),
    script!("facts.js"),
    script!("frame.js"),
    script!("hits.js"),
    script!("inspect.js"),
    script!("kept_page.js"),
    script!("kinds.js"),
    script!("main.js"),
    script!("outputs.js"),
    script!("save.js"),
    script!("search.js"),
    script!("source.js"),
    script!("streams.js"),
    script!("tabs.js"),
    script!("theme.js"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn text(asset: &Asset) -> &str {
        std::str::from_utf8(asset.bytes).expect("UTF-8")
    }

    fn scripts() -> impl Iterator<Item = &'static Asset> {
        ASSETS.iter().filter(|asset| asset.media_type == SCRIPT)
    }

    #[test]
    fn whatever_is_loaded_is_there() {
        let known = |name: &str| ASSETS.iter().any(|asset| asset.name == name);
        for name in
            text(&INDEX).split("\"assets/").skip(1).filter_map(|rest| rest.split('"').next())
        {
            assert!(known(name), "index.html: {name}");
        }
        for script in scripts() {
            for name in
                text(script).split("from \"./").skip(1).filter_map(|rest| rest.split('"').next())
            {
                assert!(known(name), "{}: {name}", script.name);
            }
        }
    }

    #[test]
    fn whatever_is_there_is_listed() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page");
        for folder in [folder.join("js"), folder.join("examples")] {
            for entry in std::fs::read_dir(folder).expect("a folder of the page").flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                assert!(ASSETS.iter().any(|asset| asset.name == name), "{name} is not in ASSETS");
            }
        }
    }

    #[test]
    fn nothing_that_pages_say_is_read_as_html() {
        for script in scripts() {
            for word in
                ["innerHTML", "outerHTML =", "insertAdjacentHTML", "document.write", "eval("]
            {
                assert!(!text(script).contains(word), "{}: {word}", script.name);
            }
            assert!(text(script).lines().count() < 400, "{}: 400 lines and more", script.name);
        }
    }

    #[test]
    fn the_page_has_no_scripts_and_styles_inside() {
        let html = text(&INDEX);
        assert!(!html.contains("style="), "a style");
        assert!(!html.contains("<style"), "a style sheet");
        let is_listener = |word: &str| word.starts_with("on") && word.contains('=');
        assert!(!html.split_whitespace().any(is_listener), "a listener");
        assert!(
            html.match_indices("<script").all(|(at, _)| html[at..].starts_with("<script src=")
                || html[at..].starts_with("<script type=\"module\" src="))
        );
        assert!(
            !html.contains("http://") && !html.contains("src=\"//"),
            "something from elsewhere"
        );
    }
}
