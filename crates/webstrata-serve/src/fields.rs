//! Fields of requests, read from JSON, from an address (`?width=80`) and from forms by one table.
//!
//! serde's own derive would do for JSON, but says neither which field is wrong nor which name was meant.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, Visitor};

use webstrata::error::{shortened, unknown};

/// A request that is a list of fields, all of which may be missing. [`request!`] writes it.
pub(crate) trait Fields: Default {
    /// The fields' names.
    fn names() -> Vec<&'static str>;

    /// Reads the value of a field of JSON.
    fn read<'de, M: MapAccess<'de>>(&mut self, name: &str, map: &mut M) -> Result<(), M::Error>;

    /// Reads the value of a field that is written as text.
    fn write(&mut self, name: &str, text: &str) -> Result<(), String>;

    /// Reads a JSON object into a request that may have fields already, which it overwrites.
    fn read_json(self, json: &[u8]) -> Result<Self, String> {
        let mut reader = serde_json::Deserializer::from_slice(json);
        let read = reader.deserialize_map(Object(self));
        // What follows the object is wrong, too.
        let read = read.and_then(|object| reader.end().map(|()| object));
        read.map_err(|error| bounded(&error.to_string()))
    }
}

/// A value that can be written as text.
pub(crate) trait FromText: Sized {
    /// Reads it, or says what is expected.
    fn from_text(text: &str) -> Result<Self, String>;

    /// The value of a field that is written as often as somebody likes.
    fn from_another(before: Option<Self>, text: &str) -> Result<Self, String> {
        match before {
            Some(_) => Err("given twice, once is enough".into()),
            None => Self::from_text(text),
        }
    }
}

/// What a field is called: as in Rust, unless that is a word of Rust's own.
macro_rules! name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $called:literal) => {
        $called
    };
}
pub(crate) use name;

/// Writes a struct of optional fields that JSON and text can be read into.
macro_rules! request {
    (
        $(#[$meta:meta])*
        $name:ident { $($(#[$field_meta:meta])* $field:ident $(= $called:literal)?: $type:ty,)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, utoipa::ToSchema)]
        pub(crate) struct $name {
            $($(#[$field_meta])* pub(crate) $field: Option<$type>,)*
        }

        impl $crate::fields::Fields for $name {
            fn names() -> Vec<&'static str> {
                vec![$($crate::fields::name!($field $($called)?)),*]
            }

            fn read<'de, M: serde::de::MapAccess<'de>>(
                &mut self,
                name: &str,
                map: &mut M,
            ) -> Result<(), M::Error> {
                match name {
                    $($crate::fields::name!($field $($called)?) => self.$field = $crate::fields::value(name, map)?,)*
                    _ => return Err($crate::fields::unknown_field::<$name, _>(name)),
                }
                Ok(())
            }

            fn write(&mut self, name: &str, text: &str) -> Result<(), String> {
                match name {
                    $($crate::fields::name!($field $($called)?) => {
                        self.$field = $crate::fields::text(name, self.$field.take(), text)?;
                    })*
                    _ => return Err($crate::fields::unknown_name::<$name>(name)),
                }
                Ok(())
            }
        }
    };
}
pub(crate) use request;

/// Writes an enum whose variants have names.
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $name:ident, $thing:literal { $($(#[$variant_meta:meta])* $variant:ident = $text:literal,)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, utoipa::ToSchema)]
        pub(crate) enum $name {
            $($(#[$variant_meta])* #[schema(rename = $text)] $variant,)*
        }

        impl $crate::fields::FromText for $name {
            fn from_text(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok(Self::$variant),)*
                    _ => Err(webstrata::error::unknown($thing, text, [$($text),*])),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::fields::named(from)
            }
        }
    };
}
pub(crate) use choice;

/// The value of a field of JSON; `null` is as good as no field.
pub(crate) fn value<'de, T: DeserializeOwned, M: MapAccess<'de>>(
    name: &str,
    map: &mut M,
) -> Result<Option<T>, M::Error> {
    map.next_value().map_err(|error| M::Error::custom(format_args!("`{name}`: {error}")))
}

/// The value of a field that is text.
pub(crate) fn text<T: FromText>(
    name: &str,
    before: Option<T>,
    text: &str,
) -> Result<Option<T>, String> {
    match T::from_another(before, text) {
        Ok(value) => Ok(Some(value)),
        Err(message) => Err(format!("`{name}`: {message}")),
    }
}

pub(crate) fn unknown_field<T: Fields, E: serde::de::Error>(name: &str) -> E {
    E::custom(unknown_name::<T>(name))
}

pub(crate) fn unknown_name<T: Fields>(name: &str) -> String {
    unknown("field", name, T::names())
}

/// Reads a value that JSON has as a string.
pub(crate) fn named<'de, T: FromText, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    struct Named<T>(PhantomData<T>);
    impl<T: FromText> Visitor<'_> for Named<T> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }
        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
            T::from_text(text).map_err(E::custom)
        }
    }
    from.deserialize_str(Named(PhantomData))
}

struct Object<T>(T);

impl<'de, T: Fields> Visitor<'de> for Object<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object such as {\"html\": \"…\"}")
    }

    fn visit_map<M: MapAccess<'de>>(mut self, mut map: M) -> Result<T, M::Error> {
        let mut seen: Vec<String> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if seen.contains(&name) {
                return Err(M::Error::custom(format_args!("`{name}` is given twice")));
            }
            self.0.read(&name, &mut map)?;
            // Only known names come this far, so there are few.
            seen.push(name);
        }
        Ok(self.0)
    }
}

/// serde repeats wrong values, however long they are.
fn bounded(message: &str) -> String {
    const MOST: usize = 300;
    let line = |text: &str| text.replace(|c: char| c.is_control(), " ");
    match message.char_indices().nth(MOST) {
        Some((at, _)) => {
            let place = message.rfind(" at line ").map_or("", |place| &message[place.max(at)..]);
            line(&message[..at]) + "…" + &shortened(place)
        }
        None => line(message),
    }
}

impl FromText for String {
    fn from_text(text: &str) -> Result<String, String> {
        Ok(text.to_owned())
    }
}

macro_rules! number {
    ($type:ty, $expected:literal) => {
        impl FromText for $type {
            fn from_text(text: &str) -> Result<$type, String> {
                text.parse()
                    .map_err(|_| format!("expected {}, not `{}`", $expected, shortened(text)))
            }
        }
    };
}
number!(u32, "a whole number");
number!(usize, "a whole number");
number!(f64, "a number");

#[cfg(test)]
mod tests {
    use super::*;

    choice! {
        /// A tide.
        Tide, "tide" {
            /// High.
            High = "high",
            /// Low.
            Low = "low",
        }
    }

    request! {
        /// For tests.
        Harbour {
            /// A name.
            name: String,
            /// A depth.
            depth: u32,
            /// A tide.
            tide: Tide,
        }
    }

    fn refused(json: &str) -> String {
        Harbour::default().read_json(json.as_bytes()).expect_err(json)
    }

    #[test]
    fn json_is_read_or_refused_with_the_field() {
        let json = r#"{"name":"Norrby","depth":null,"tide":"low"}"#;
        let read = Harbour::default().read_json(json.as_bytes()).expect("a harbour");
        assert_eq!(read.name.as_deref(), Some("Norrby"));
        assert_eq!((read.depth, read.tide), (None, Some(Tide::Low)));
        let check = |json: &str, expect: &str| assert_eq!(refused(json), expect);
        check(r#"{"nam":1}"#, "unknown field `nam`, did you mean `name`? at line 1 column 6");
        check(
            r#"{"depth":"x"}"#,
            "`depth`: invalid type: string \"x\", expected u32 at line 1 column 12",
        );
        check(
            r#"{"tide":"hihg"}"#,
            "`tide`: unknown tide `hihg`, did you mean `high`? at line 1 column 14",
        );
        check(r#"{"tide":null,"tide":null}"#, "`tide` is given twice at line 1 column 19");
        check(
            "[]",
            "invalid type: sequence, expected an object such as {\"html\": \"…\"} at line 1 column 0",
        );
        check("{} {}", "trailing characters at line 1 column 4");
        check("", "EOF while parsing a value at line 1 column 0");
    }

    #[test]
    fn messages_are_short_whatever_is_sent() {
        let long = "x".repeat(1 << 20);
        let key = refused(&format!("{{\"{long}\": 1}}"));
        assert!(key.len() < 500, "{key}");
        let value = refused(&format!("{{\"depth\": \"{long}\"}}"));
        assert!(value.len() < 500 && value.ends_with(" at line 1 column 1048588"), "{value}");
        let deep = refused(&("{\"name\":".to_owned() + &"[".repeat(1 << 20)));
        assert!(deep.len() < 500, "{deep}");
    }

    #[test]
    fn text_is_read_or_refused_with_the_field() {
        let mut harbour = Harbour::default();
        for (name, text) in [("depth", "12"), ("tide", "high")] {
            harbour.write(name, text).expect(text);
        }
        assert_eq!((harbour.depth, harbour.tide), (Some(12), Some(Tide::High)));
        let mut check = |name: &str, text: &str, expect: &str| {
            assert_eq!(harbour.write(name, text), Err(expect.to_owned()));
        };
        check("depth", "13", "`depth`: given twice, once is enough");
        check("name2", "", "unknown field `name2`, did you mean `name`?");
        check("tide", "low", "`tide`: given twice, once is enough");
        let mut harbour = Harbour::default();
        let message = "`depth`: expected a whole number, not `-1`".to_owned();
        assert_eq!(harbour.write("depth", "-1"), Err(message));
    }
}
