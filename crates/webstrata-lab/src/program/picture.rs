//! Charts as files: SVG, or PNG where this build draws it.

use std::path::Path;

#[cfg(feature = "png")]
use anyhow::Context;
use anyhow::bail;
use webstrata_base::write_whole;

#[cfg(feature = "png")]
pub(crate) const PLOTS: &[&str] = &["svg", "png"];
#[cfg(not(feature = "png"))]
pub(crate) const PLOTS: &[&str] = &["svg"];

/// Can a chart be written to a file of this name?
pub(crate) fn check_plot(file: &Path) -> anyhow::Result<()> {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !PLOTS.contains(&ending) {
        bail!("{}: a chart is a file .{}", file.display(), PLOTS.join(" or ."));
    }
    Ok(())
}

/// Writes a chart as the name of its file says.
pub(crate) fn write_plot(file: &Path, svg: String) -> anyhow::Result<()> {
    let bytes = match file.extension().and_then(|ending| ending.to_str()) {
        #[cfg(feature = "png")]
        Some("png") => {
            webstrata_lab::plot::png(&svg).with_context(|| file.display().to_string())?
        }
        _ => svg.into_bytes(),
    };
    Ok(write_whole(file, &bytes)?)
}
