//! Pages as Python has them: bytes or text.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyByteArray, PyBytes, PyString};

use crate::warc::ArchivedPage;

/// A page whose bytes can be read without holding Python's lock.
pub(crate) enum Input {
    /// Bytes of Python's, not copied.
    Bytes(PyBackedBytes),
    /// Text of Python's. Its encoding is known, whatever the page says.
    Text(PyBackedStr),
    /// Text that is no valid Unicode, mended.
    Mended(String),
    /// A page of an archive, with what the archive knows about it.
    Archived { bytes: PyBackedBytes, url: Option<String>, charset: Option<String> },
}

impl Input {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Input::Bytes(bytes) | Input::Archived { bytes, .. } => bytes,
            Input::Text(text) => text.as_bytes(),
            Input::Mended(text) => text.as_bytes(),
        }
    }

    /// The charset, where the page need not say.
    pub(crate) fn charset(&self) -> Option<&'static str> {
        match self {
            Input::Bytes(_) | Input::Archived { .. } => None,
            Input::Text(_) | Input::Mended(_) => Some("utf-8"),
        }
    }

    /// What an archive knows about the page, where nobody said otherwise.
    pub(crate) fn tell(&self, options: &mut webstrata::Options) {
        if let Input::Archived { url, charset, .. } = self {
            options.url = options.url.take().or_else(|| url.clone());
            options.charset = options.charset.take().or_else(|| charset.clone());
        }
    }

    pub(crate) fn of(page: &Bound<'_, PyAny>) -> PyResult<Input> {
        if let Ok(bytes) = page.cast::<PyBytes>() {
            return Ok(Input::Bytes(bytes.clone().into()));
        }
        if let Ok(text) = page.cast::<PyString>() {
            return match PyBackedStr::try_from(text.clone()) {
                Ok(text) => Ok(Input::Text(text)),
                Err(_) => mended(text).map(Input::Mended),
            };
        }
        if let Ok(bytes) = page.cast::<PyByteArray>() {
            return Ok(Input::Bytes(bytes.clone().into()));
        }
        if let Ok(archived) = page.cast::<ArchivedPage>() {
            return Ok(archived.get().input(page.py()));
        }
        // Anything else that has bytes: memoryview, mmap, NumPy and Arrow buffers.
        let has_bytes = page.py().import("builtins")?.getattr("memoryview")?.call1((page,));
        let Ok(view) = has_bytes else {
            let name = page.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "a page is str, bytes or anything with a buffer, not {name}; read a file first: \
                 open(path, 'rb').read()"
            )));
        };
        let bytes = view.call_method0("tobytes")?.cast_into::<PyBytes>()?;
        Ok(Input::Bytes(bytes.into()))
    }
}

/// Surrogates that make a pair become its character; others become U+FFFD.
fn mended(text: &Bound<'_, PyString>) -> PyResult<String> {
    let utf16 = text.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
    let bytes = utf16.cast_into::<PyBytes>()?;
    let units = bytes.as_bytes().chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    let units: Vec<u16> = units.collect();
    Ok(String::from_utf16_lossy(&units))
}
