//! Forms: a page as a file, and fields beside it.

use axum::body::Bytes;
use futures_util::stream;
use multer::Multipart;
use webstrata::error::shortened;
use webstrata_archive::charset_of;

use crate::refusal::Refusal;

/// Fields of a form; there are a dozen that we know.
const MOST_FIELDS: usize = 64;

/// A form that was read.
#[derive(Debug, Default)]
pub(crate) struct Form {
    /// The page.
    pub(crate) file: Vec<u8>,
    /// The encoding that is said about it.
    pub(crate) charset: Option<String>,
    /// The other fields.
    pub(crate) fields: Vec<(String, String)>,
}

/// Takes a form apart.
pub(crate) async fn read(bytes: Vec<u8>, boundary: String) -> Result<Form, Refusal> {
    let whole = stream::iter([Ok::<_, std::convert::Infallible>(Bytes::from(bytes))]);
    let mut parts = Multipart::new(whole, boundary);
    let (mut form, mut file) = (Form::default(), None);
    while let Some(part) = parts.next_field().await.map_err(|error| broken(&error))? {
        let name = part.name().unwrap_or_default().to_owned();
        let content_type = part.content_type().map(ToString::to_string);
        let bytes = part.bytes().await.map_err(|error| broken(&error))?;
        if name == "file" {
            form.charset = content_type.as_deref().and_then(charset_of).map(str::to_owned);
            if file.replace(bytes.to_vec()).is_some() {
                return Err(Refusal::bad("the form has two files, send one page at a time"));
            }
            continue;
        }
        if form.fields.len() == MOST_FIELDS {
            return Err(Refusal::bad(format!("the form has more than {MOST_FIELDS} fields")));
        }
        let text = String::from_utf8(bytes.to_vec());
        let wrong =
            |_| Refusal::bad(format!("`{}`: the form's field is not UTF-8", shortened(&name)));
        form.fields.push((name.clone(), text.map_err(wrong)?));
    }
    form.file = file.ok_or_else(|| Refusal::bad("the form has no file, name its field `file`"))?;
    Ok(form)
}

fn broken(error: &multer::Error) -> Refusal {
    Refusal::bad(format!("the form cannot be read: {}", shortened(&error.to_string())))
}
