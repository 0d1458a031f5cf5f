//! Reading of JSON Schema documents, such as the input schemas of tools.
//!
//! Schemas come from tool servers and may be malformed, recursive or hostile, so everything here is bounded:
//! references are followed only within the document and only a few steps, and long lists are cut.
//! [`SchemaView`] is for reading; the functions in `rewrite` are for code that converts a schema to the
//! dialect of a model vendor. Nothing is fetched, and values are not validated.

mod rewrite;
mod view;

use serde_json::{Map, Value};

pub use rewrite::{allows_type, for_each_subschema, inline_reference, required_names};
pub use view::SchemaView;

/// A schema that is an object; the other schemas are `true` and `false`.
pub type SchemaObject = Map<String, Value>;

/// Returns the schema that a reference such as `#/$defs/Name` points to, if it is in the document.
pub fn referenced_schema<'a>(document: &'a Value, reference: &str) -> Option<&'a Value> {
    document.pointer(reference.strip_prefix('#')?)
}
