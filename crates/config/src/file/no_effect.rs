//! The value of a key that is known but has no effect yet.
//!
//! Files that use such a key load, with a warning. The value itself is neither checked nor kept.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Anything at all, not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NoEffect {}

impl JsonSchema for NoEffect {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "NoEffect".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "x-no-effect": true })
    }
}
