//! A text that may carry a credential.
//!
//! Read from a file after expansion even an address can hold a token. It cannot be printed or serialised by
//! accident: whoever needs it asks for it by name. It does not clear memory.

use std::fmt;

use serde::Deserialize;

/// A text that may carry a credential and never prints itself.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// A text that is not to be shown.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself. Do not log it, store it or send it anywhere but where it belongs.
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

    /// Environments and headers are often written as numbers; the reader takes them as the texts they are.
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "x-scalar": true })
    }
}
