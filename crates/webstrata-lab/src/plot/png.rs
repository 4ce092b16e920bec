//! Charts as PNG, for where no SVG can be shown.

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::canvas::STYLE;
use webstrata_base::error::Error;

/// Pixels for each of the SVG: letters stay legible on today's screens.
const SCALE: f32 = 2.0;
/// Pixels of the longer side at most.
const LARGEST: f32 = 16_000.0;

/// Draws a chart ([`Chart::to_svg`](super::Chart::to_svg)) on white paper. Letters come from the fonts
/// of this machine: without any there is no chart, and the error says so.
pub fn png(svg: &str) -> Result<Vec<u8>, Error> {
    let mut options = Options { font_family: "sans-serif".into(), ..Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    let sans = ["DejaVu Sans", "Liberation Sans", "Noto Sans", "Arial", "Helvetica", "Segoe UI"];
    let has = |family: &str| {
        fonts.faces().any(|face| face.families.iter().any(|(name, _)| name == family))
    };
    let known = sans.into_iter().find(|family| has(family)).map(str::to_owned);
    let any = || Some(fonts.faces().next()?.families.first()?.0.clone());
    let Some(family) = known.or_else(any) else {
        let remedy = "install one, such as DejaVu Sans, or write the chart as .svg";
        return Err(Error::new(format!(
            "no font on this machine to write a PNG's letters with; {remedy}"
        )));
    };
    fonts.set_sans_serif_family(family);
    let wrong = |error: &dyn std::fmt::Display| Error::new(format!("the chart as PNG: {error}"));
    let plain = svg.replace(STYLE.trim_end(), &plain_style());
    let tree = Tree::from_str(&plain, &options).map_err(|error| wrong(&error))?;
    let size = tree.size();
    let scale = SCALE.min(LARGEST / size.width().max(size.height()));
    let pixels = |length: f32| (length * scale).ceil().max(1.0) as u32;
    let mut paper = Pixmap::new(pixels(size.width()), pixels(size.height()))
        .ok_or_else(|| wrong(&"it would be too large"))?;
    paper.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut paper.as_mut());
    paper.encode_png().map_err(|error| wrong(&error))
}

/// The style without variables, which resvg does not know: light colours, those of series written out.
fn plain_style() -> String {
    let first = STYLE.lines().next().unwrap_or_default();
    let declared = first.split_once('{').map_or("", |(_, rest)| rest.trim_end_matches('}'));
    let declarations = declared.split(';').filter_map(|declaration| declaration.split_once(':'));
    let (variables, plain): (Vec<_>, Vec<_>) =
        declarations.partition(|(name, _)| name.starts_with("--"));
    let mut style: String = ".ws-plot{font-family:sans-serif;".into();
    let browsers = ["font-family", "max-width", "height"];
    for (name, value) in plain.iter().filter(|(name, _)| !browsers.contains(name)) {
        style += &format!("{name}:{value};");
    }
    style += "}\n";
    for line in STYLE.lines().skip(1).filter(|line| !line.starts_with('@')) {
        if line.contains("{--c:") || line.contains(":hover") {
            continue;
        }
        if line.contains("var(--c)") {
            // What has the colour of its series: a rule for each of these.
            for series in 0..=super::canvas::HUES {
                let colour =
                    if series == 0 { "var(--soft)".into() } else { format!("var(--s{series})") };
                let rule = line.replacen(".ws-plot ", &format!(".ws-plot .c{series} "), 1);
                style += &(rule.replace("var(--c)", &colour) + "\n");
            }
        } else {
            style += &(line.to_owned() + "\n");
        }
    }
    for (name, value) in variables {
        style = style.replace(&format!("var({name})"), value);
    }
    style
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chart;

    #[test]
    fn no_variable_is_left() {
        let style = plain_style();
        assert!(!style.contains("var(") && !style.contains("--"), "{style}");
        assert!(style.contains(".ws-plot .c1 .line{stroke:#2563c9;"), "{style}");
    }

    #[test]
    fn a_chart_has_its_colours() {
        let svg = Chart::lines("Tides").series("gauge", [(0.0, 1.0), (6.0, 4.1)]).to_svg();
        // Where there is no font, that is what is said.
        match png(&svg) {
            Err(error) => assert!(error.to_string().contains("no font"), "{error}"),
            Ok(png) => {
                let image = Pixmap::decode_png(&png).unwrap();
                assert_eq!((image.width(), image.height()), (1520, 840));
                let has = |red, green, blue| {
                    let is = |pixel: &resvg::tiny_skia::PremultipliedColorU8| {
                        (pixel.red(), pixel.green(), pixel.blue()) == (red, green, blue)
                    };
                    image.pixels().iter().any(is)
                };
                assert!(has(0x25, 0x63, 0xc9) && has(255, 255, 255) && has(0x1f, 0x29, 0x33));
            }
        }
    }
}
