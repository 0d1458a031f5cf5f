//! Strings that may contain a credential.
//!
//! After variable expansion even a URL in a configuration file may contain a token. A [`Secret`] cannot be
//! printed or serialized by accident; callers must call [`Secret::expose`]. It does not zero its memory on
//! drop.

use std::fmt;

use serde::Deserialize;

/// Minimum length of a credential that is removed from messages. A shorter one is no secret, and removing it
/// would make every message unreadable.
pub const MIN_SECRET_CHARACTERS: usize = 8;

/// A string that may contain a credential. `Debug` prints a placeholder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a string.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the string. Do not log or store it, and send it only to its intended recipient.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[hidden]")
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Secret {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Secret".into()
    }

    /// Values of environment variables and headers are often written as numbers; the configuration reader accepts them
    /// as strings.
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "x-scalar": true })
    }
}
