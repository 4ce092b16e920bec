//! The two macros behind the list of filters, so that a filter is written down once: its
//! parameters beside their defaults, its documentation readable at run time, too.

/// Defines a filter: a struct with the derives that all filters have and a `Default` made of the
/// values given beside the fields.
macro_rules! filter {
    // A filter with parameters.
    (
        $(#[doc = $doc:expr])+
        $(#[doc(alias = $alias:literal)])*
        pub struct $Filter:ident {
            $($(#[$meta:meta])+ pub $field:ident: $Type:ty = $default:expr,)+
        }
    ) => {
        $(#[doc = $doc])+
        $(#[doc(alias = $alias)])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct $Filter {
            $($(#[$meta])+ pub $field: $Type,)+
        }

        impl Default for $Filter {
            fn default() -> $Filter {
                $Filter { $($field: $default,)+ }
            }
        }

        impl $Filter {
            pub(crate) const DOC: &str = concat!($($doc, "\n",)+);
            pub(crate) const ALIASES: &[&str] = &[$($alias,)*];
        }
    };
    // A filter without any.
    (
        $(#[doc = $doc:expr])+
        $(#[doc(alias = $alias:literal)])*
        pub struct $Filter:ident;
    ) => {
        $(#[doc = $doc])+
        $(#[doc(alias = $alias)])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct $Filter;

        impl $Filter {
            pub(crate) const DOC: &str = concat!($($doc, "\n",)+);
            pub(crate) const ALIASES: &[&str] = &[$($alias,)*];
        }
    };
}

/// Makes the enum [`Step`](super::Step) out of the list of filters.
macro_rules! steps {
    ($($name:literal $Filter:ident,)+) => {
        /// Any filter, with its parameters.
        ///
        /// In TOML, JSON and the like a step is a table of the filter's name and its parameters;
        /// those left out have their defaults:
        ///
        /// ```
        /// use webstrata::filters::{FuseNearby, Step};
        ///
        /// let step: Step = toml::from_str("filter = 'fuse-nearby'\ncontent-only = true").unwrap();
        /// assert_eq!(step, FuseNearby { content_only: true, ..FuseNearby::default() }.into());
        /// assert_eq!(step.name(), "fuse-nearby");
        /// ```
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "filter")]
        pub enum Step {
            $(
                #[doc = concat!("`", $name, "`")]
                #[serde(rename = $name)]
                $Filter($Filter),
            )+
        }

        impl Step {
            /// The names of all filters.
            pub fn names() -> &'static [&'static str] {
                &[$($name,)+]
            }

            /// The filter of this name with its default parameters.
            pub fn named(name: &str) -> Option<Step> {
                match name {
                    $($name => Some(Step::$Filter($Filter::default())),)+
                    _ => None,
                }
            }

            /// The filter's name.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Step::$Filter(_) => $name,)+
                }
            }

            /// What the filter does: the paragraph of its documentation.
            pub fn doc(&self) -> String {
                let doc = match self {
                    $(Step::$Filter(_) => $Filter::DOC,)+
                };
                let lines: Vec<&str> = doc.lines().map(str::trim).collect();
                lines.join("\n")
            }

            /// The classes of boilerpipe that the filter stands for.
            pub fn aliases(&self) -> &'static [&'static str] {
                match self {
                    $(Step::$Filter(_) => $Filter::ALIASES,)+
                }
            }
        }

        impl Filter for Step {
            fn apply(&self, document: &mut Document) {
                match self {
                    $(Step::$Filter(filter) => filter.apply(document),)+
                }
            }
        }

        $(
            impl From<$Filter> for Step {
                fn from(filter: $Filter) -> Step {
                    Step::$Filter(filter)
                }
            }
        )+
    };
}

pub(crate) use {filter, steps};
