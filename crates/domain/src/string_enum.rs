//! Enums with one spelling for the database, the wire and files.
//!
//! `string_enum!` declares the enum with its spellings; parsing an unknown string returns an error that lists
//! the known ones. There is no case folding and there are no aliases: callers that accept loose input
//! normalize it first.

use thiserror::Error;

/// A string that is not a value of the enum.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown {enum_name} `{value}`, expected one of: {}", known.join(", "))]
pub struct UnknownValue {
    /// The name of the enum, e.g. `SessionStatus`.
    pub enum_name: &'static str,
    /// The string that was parsed.
    pub value: String,
    /// All valid strings.
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

            /// Returns the spelling of this value.
            pub const fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )+ }
            }
        }

        // The derive macro would use the variant names: it does not see serde attributes produced by a macro.
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

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $( $word => Ok(Self::$variant), )+
                    _ => Err($crate::string_enum::UnknownValue {
                        enum_name: stringify!($name),
                        value: text.to_owned(),
                        known: Self::WORDS,
                    }),
                }
            }
        }
    };
}

pub(crate) use string_enum;
