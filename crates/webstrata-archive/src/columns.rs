//! Which columns of a table hold pages.

#[cfg(feature = "parquet")]
pub(crate) mod finding;

use std::str::FromStr;

use serde::Deserialize;

/// The names of columns, where they were chosen; others are guessed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Columns {
    /// The pages.
    pub html: Option<String>,
    /// Their addresses.
    pub url: Option<String>,
    /// When they were fetched.
    pub date: Option<String>,
    /// Their names.
    pub id: Option<String>,
}

impl FromStr for Columns {
    type Err = String;

    /// Reads `html=raw,url=link`.
    fn from_str(written: &str) -> Result<Columns, String> {
        let mut columns = Columns::default();
        for pair in written.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (kind, name) = pair.split_once('=').unwrap_or((pair, ""));
            let (kind, name) = (kind.trim(), name.trim());
            let place = match kind {
                "html" => &mut columns.html,
                "url" => &mut columns.url,
                "date" => &mut columns.date,
                "id" => &mut columns.id,
                _ => {
                    return Err(format!(
                        "`{pair}`: expected html=NAME, url=NAME, date=NAME or id=NAME"
                    ));
                }
            };
            if name.is_empty() {
                return Err(format!(
                    "`{pair}`: expected the name of a column, such as html=raw_html"
                ));
            }
            *place = Some(name.to_owned());
        }
        Ok(columns)
    }
}
