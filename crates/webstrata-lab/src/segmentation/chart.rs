//! Figure 4.2: the density of a page's text, line by line, with the borders of its segments.

use crate::Chart;
use crate::plot::Histogram;

use webstrata_corpus::segmentation::{AtomicPage, Segment};

/// Bars that a picture has room for; blocks of longer pages share one.
const BARS: u32 = 1500;

/// A bar for each atomic block, as wide as it has lines and as high as it is dense, and a line where
/// each segment ends. Those of [`Method::WordWrap`](webstrata_corpus::segmentation::Method::WordWrap) end inside of blocks: each
/// line stands at the first block that begins in its segment.
pub fn densities(title: &str, page: &AtomicPage, segments: &[Segment]) -> Chart<Histogram> {
    let blocks = page.blocks();
    let lines: u32 = blocks.iter().map(|block| block.lines).sum();
    let least = lines.div_ceil(BARS);
    let (mut edges, mut heights) = (vec![0.0], Vec::new());
    let (mut line, mut in_bar, mut weight) = (0, 0, 0.0);
    let mut borders: Vec<u32> = Vec::new();
    let mut rest = segments.iter().skip(1).peekable();
    for block in &blocks {
        if rest.next_if(|next| next.span.start <= block.span.start).is_some() {
            // Closer than a bar is wide, nobody can tell two lines apart.
            if borders.last().is_none_or(|last| line - last >= least) {
                borders.push(line);
            }
            while rest.next_if(|next| next.span.start <= block.span.start).is_some() {}
        }
        line += block.lines;
        in_bar += block.lines;
        weight += block.density() * f64::from(block.lines);
        if in_bar >= least || line == lines {
            edges.push(f64::from(line));
            heights.push(weight / f64::from(in_bar));
            (in_bar, weight) = (0, 0.0);
        }
    }
    let note = format!(
        "{} of {} atomic blocks; a bar is a block, a red line parts segments",
        counted(segments.len(), "segment"),
        blocks.len()
    );
    let chart = Chart::histogram(title, edges)
        .class("text density of a block", heights)
        .muted()
        .note(note)
        .x_label(format!("lines of text at {} columns", page.width))
        .y_label("tokens per line")
        .size(960, 360);
    borders.into_iter().map(f64::from).fold(chart, Chart::border)
}

fn counted(count: usize, of: &str) -> String {
    if count == 1 { format!("1 {of}") } else { format!("{count} {of}s") }
}

#[cfg(test)]
mod tests {
    use webstrata::Options;

    use super::*;
    use webstrata_corpus::segmentation::{Method, Segmenter};

    fn svg(html: &str, method: Method) -> String {
        let (page, segments) = Segmenter::new(method).read(html.as_bytes(), &Options::default());
        densities("Tides", &page, &segments).to_svg()
    }

    #[test]
    fn a_border_between_two_segments() {
        let html = "<i>Home</i><i>Tides</i><p>High water is at noon today, the office says.";
        let svg = svg(html, Method::Plain);
        assert!(svg.contains("2 segments of 3 atomic blocks"), "{svg}");
        assert_eq!(svg.matches("class=\"border\"").count(), 1, "{svg}");
        assert_eq!(svg.matches("<rect class=\"fill\"").count(), 3 + 1, "{svg}");
    }

    #[test]
    fn pages_of_any_length_have_a_chart() {
        assert!(svg("", Method::Plain).contains("nothing to show"));
        let long = svg(&"<p>High water".repeat(20_000), Method::TagGap);
        assert!(long.matches("<rect class=\"fill\"").count() <= BARS as usize + 2);
        assert!(long.matches("class=\"border\"").count() <= BARS as usize + 2);
    }
}
