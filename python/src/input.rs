//! Pages as Python has them: bytes or text.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyByteArray, PyBytes, PyString, PyType};
use webstrata::Options;

use crate::warc::ArchivedPage;

/// A page whose bytes can be read without holding Python's lock.
pub(crate) struct Input {
    bytes: Bytes,
    /// It is text, so its encoding is known, whatever the page says.
    is_text: bool,
    /// What the archive that it came from knows about it.
    url: Option<String>,
    charset: Option<String>,
}

enum Bytes {
    /// Python's own, not copied.
    Python(PyBackedBytes),
    Text(PyBackedStr),
    Own(Vec<u8>),
}

impl Input {
    fn new(bytes: Bytes, is_text: bool) -> Input {
        Input { bytes, is_text, url: None, charset: None }
    }

    /// A page of an archive.
    pub(crate) fn archived(
        bytes: PyBackedBytes,
        url: Option<String>,
        charset: Option<String>,
    ) -> Input {
        Input { bytes: Bytes::Python(bytes), is_text: false, url, charset }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Python(bytes) => bytes,
            Bytes::Text(text) => text.as_bytes(),
            Bytes::Own(bytes) => bytes,
        }
    }

    /// The same without anything of Python's, for threads that Python does not know. To drop something of Python's
    /// there takes a lock of pyo3's; a process that is forked meanwhile would wait for it for ever.
    pub(crate) fn owned(self) -> Input {
        let bytes = match self.bytes {
            Bytes::Own(bytes) => bytes,
            Bytes::Python(bytes) => bytes.to_vec(),
            Bytes::Text(text) => text.as_bytes().to_vec(),
        };
        Input { bytes: Bytes::Own(bytes), ..self }
    }

    /// Adds what is known of the page beside its bytes.
    pub(crate) fn tell(&self, options: &mut Options) {
        if self.is_text {
            options.charset = Some("utf-8".into());
        }
        options.url = options.url.take().or_else(|| self.url.clone());
        options.charset = options.charset.take().or_else(|| self.charset.clone());
    }

    pub(crate) fn of(page: &Bound<'_, PyAny>) -> PyResult<Input> {
        if let Ok(bytes) = page.cast_exact::<PyBytes>() {
            return Ok(Input::new(Bytes::Python(bytes.clone().into()), false));
        }
        if let Ok(text) = page.cast::<PyString>() {
            let text = match PyBackedStr::try_from(text.clone()) {
                Ok(text) => Bytes::Text(text),
                Err(_) => Bytes::Own(mended(text)?.into_bytes()),
            };
            return Ok(Input::new(text, true));
        }
        if let Ok(bytes) = page.cast::<PyByteArray>() {
            return Ok(Input::new(Bytes::Own(bytes.to_vec()), false));
        }
        if let Ok(archived) = page.cast::<ArchivedPage>() {
            return Ok(archived.get().input(page.py()));
        }
        // Anything else that has bytes: memoryview, mmap, NumPy and Arrow buffers, subclasses of bytes.
        let view = page.py().import("builtins")?.getattr("memoryview")?.call1((page,));
        let view = view.map_err(|error| {
            if !error.is_instance_of::<PyTypeError>(page.py()) {
                return error;
            }
            let name =
                page.get_type().name().map_or_else(|_| "this".into(), |name| name.to_string());
            PyTypeError::new_err(format!(
                "a page is str, bytes or anything with a buffer, not {name}; read a file first: \
                 open(path, 'rb').read()"
            ))
        })?;
        let bytes = view.call_method0("tobytes")?.cast_into::<PyBytes>()?;
        Ok(Input::new(Bytes::Python(bytes.into()), false))
    }
}

/// Surrogates that make a pair become its character; others become U+FFFD.
pub(crate) fn mended(text: &Bound<'_, PyString>) -> PyResult<String> {
    // The method of str itself: a subclass may have another.
    let encode = PyType::new::<PyString>(text.py()).getattr("encode")?;
    let utf16 = encode.call1((text, "utf-16-le", "surrogatepass"))?;
    let bytes = utf16.cast_into::<PyBytes>()?;
    let units = bytes.as_bytes().chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    let units: Vec<u16> = units.collect();
    Ok(String::from_utf16_lossy(&units))
}
