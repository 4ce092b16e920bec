//! The two macros behind the list of filters, so that a filter is written down once: its name, its verb
//! and what it asks for, its parameters beside their defaults, its documentation readable at run time,
//! too.

/// Defines a filter: a struct with the derives that all filters have, a `Default` made of the values
/// given beside the fields, and the `Filter` of which `fn change` is the work.
///
/// Behind the struct's name stand the filter's name in TOML and its verb, and what it asks for:
/// `asks(site)` if it looks at `Document::site`, `asks(recall)` if its parameter `recall` is the weight
/// of recall.
macro_rules! filter {
    // A filter with parameters.
    (
        $(#[doc = $doc:expr])+
        $(#[doc(alias = $alias:literal)])*
        pub struct $Filter:ident: $name:literal, $Verb:ident $(, asks($($asked:ident),+))? {
            $($(#[$meta:meta])+ $vis:vis $field:ident: $Type:ty = $default:expr,)+
        }
    ) => {
        $(#[doc = $doc])+
        $(#[doc(alias = $alias)])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct $Filter {
            $($(#[$meta])+ $vis $field: $Type,)+
        }

        impl Default for $Filter {
            fn default() -> $Filter {
                $Filter { $($field: $default,)+ }
            }
        }

        $crate::filters::filter! {
            @impl [$($doc)+] [$($alias)*] $Filter, $name, $Verb, [$($($asked)+)?]
        }
    };
    // A filter without any.
    (
        $(#[doc = $doc:expr])+
        $(#[doc(alias = $alias:literal)])*
        pub struct $Filter:ident: $name:literal, $Verb:ident $(, asks($($asked:ident),+))?;
    ) => {
        $(#[doc = $doc])+
        $(#[doc(alias = $alias)])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct $Filter;

        $crate::filters::filter! {
            @impl [$($doc)+] [$($alias)*] $Filter, $name, $Verb, [$($($asked)+)?]
        }
    };
    (
        @impl [$($doc:expr)+] [$($alias:literal)*]
        $Filter:ident, $name:literal, $Verb:ident, [$($asked:ident)*]
    ) => {
        impl $Filter {
            pub(crate) const NAME: &str = $name;
            pub(crate) const DOC: &str = concat!($($doc, "\n",)+);
            pub(crate) const ALIASES: &[&str] = &[$($alias,)*];
        }

        impl $crate::filters::Filter for $Filter {
            fn name(&self) -> &'static str {
                $name
            }

            fn verb(&self) -> $crate::filters::Verb {
                $crate::filters::Verb::$Verb
            }

            fn apply(&self, document: &mut $crate::document::Document) {
                self.change(document);
            }

            $($crate::filters::filter! { @$asked })*

            fn into_step(self) -> $crate::filters::Step {
                $crate::filters::Step::$Filter(self)
            }
        }
    };
    (@site) => {
        fn asks_for_site(&self) -> bool {
            true
        }
    };
    (@recall) => {
        fn with_recall(&self, recall: f64) -> Option<$crate::filters::Step> {
            let mut filter = self.clone();
            filter.recall = recall;
            Some(filter.into())
        }
    };
}

/// Makes the enum [`Step`](super::Step) out of the list of filters.
macro_rules! steps {
    ($($Filter:ident,)+) => {
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
        #[serde(tag = "filter", rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Step {
            $(
                #[doc = concat!("`", stringify!($Filter), "`")]
                $Filter($Filter),
            )+
            /// A filter of the program's own. In JSON it is `{ "filter": "own", "name": "…" }`, which
            /// cannot be read back.
            #[serde(skip_deserializing)]
            Own(OwnFilter),
        }

        impl Step {
            /// The names of all built-in filters.
            pub fn names() -> &'static [&'static str] {
                &[$($Filter::NAME,)+]
            }

            /// The built-in filter of this name with its default parameters.
            pub fn named(name: &str) -> Option<Step> {
                match name {
                    $($Filter::NAME => Some(Step::$Filter($Filter::default())),)+
                    _ => None,
                }
            }

            /// The filter.
            pub fn filter(&self) -> &dyn Filter {
                match self {
                    $(Step::$Filter(filter) => filter,)+
                    Step::Own(own) => own.filter(),
                }
            }

            /// The filter's name.
            pub fn name(&self) -> &'static str {
                self.filter().name()
            }

            /// What the filter does: the paragraph of its documentation. Of a filter of the program's
            /// own it tells the name only.
            pub fn doc(&self) -> String {
                let doc = match self {
                    $(Step::$Filter(_) => $Filter::DOC,)+
                    Step::Own(own) => return format!("The program's own `{}`.", own.filter().name()),
                };
                let lines: Vec<&str> = doc.lines().map(str::trim).collect();
                lines.join("\n")
            }

            /// The classes of boilerpipe that the filter stands for.
            pub fn aliases(&self) -> &'static [&'static str] {
                match self {
                    $(Step::$Filter(_) => $Filter::ALIASES,)+
                    Step::Own(_) => &[],
                }
            }

            /// Applies the filter to all blocks of the document.
            pub fn apply(&self, document: &mut Document) {
                self.filter().apply(document);
            }
        }
    };
}

pub(crate) use {filter, steps};
