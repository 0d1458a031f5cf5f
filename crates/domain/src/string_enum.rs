//! Closed sets of words: enums whose spelling in the store, on the wire and in files is one and the same.
//!
//! `string_enum!` declares such an enum once, with its spelling; reading an unknown word gives an error that
//! lists the known ones. It does not do case folding or aliases: those belong to whoever reads loose input.

use thiserror::Error;

/// A word that is not in the set, with the set.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown {what} `{word}`, expected one of: {}", known.join(", "))]
pub struct UnknownValue {
    /// What kind of word was expected, e.g. `SessionStatus`.
    pub what: &'static str,
    /// The word as it was found.
    pub word: String,
    /// Every word that would have been right.
    pub known: &'static [&'static str],
}

macro_rules! string_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$variant_meta:meta])* $variant:ident = $word:literal, )+ }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $name { $( $(#[$variant_meta])* #[serde(rename = $word)] $variant, )+ }

        impl $name {
            /// Every value, in declaration order.
            pub const ALL: &'static [Self] = &[$( Self::$variant ),+];
            const WORDS: &'static [&'static str] = &[$( $word ),+];

            /// The one spelling of this value.
            pub const fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )+ }
            }
        }

        // Derived, it would have the names of the variants: what is spelled in a macro is not seen.
        #[cfg(feature = "openapi")]
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::Type::String)
                    .enum_values(Some(Self::WORDS.iter().copied()))
                    .into()
            }
        }

        #[cfg(feature = "openapi")]
        impl utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                std::borrow::Cow::Borrowed(stringify!($name))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::string_enum::UnknownValue;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $( $word => Ok(Self::$variant), )+
                    _ => Err($crate::string_enum::UnknownValue {
                        what: stringify!($name),
                        word: word.to_owned(),
                        known: Self::WORDS,
                    }),
                }
            }
        }
    };
}

pub(crate) use string_enum;
