//! Tool names as vendors allow them: at most 64 letters, digits, underscores and dashes.
//!
//! `server.tool` becomes `server__tool`. A name for which that would be ambiguous or invalid gets a hash
//! suffix, which depends on the name alone, so that a tool has the same name in every request. Names are
//! mapped back with a table.

use std::collections::HashMap;

use crate::ModelRequest;

const MAX_LENGTH: usize = 64;
const SUFFIX_LENGTH: usize = 9;

/// Maps the wire names of one request back to canonical names.
#[derive(Debug, Clone, Default)]
pub(crate) struct NameTable {
    canonical: HashMap<String, String>,
}

impl NameTable {
    /// Collects the tools that a request binds and those that were called earlier.
    pub(crate) fn new(request: &ModelRequest) -> Self {
        let bound = request.tools.iter().map(|tool| &tool.name);
        let called = request.messages.iter().flat_map(|message| &message.tool_calls).map(|call| &call.name);
        let canonical = bound.chain(called).map(|name| (wire_name(name), name.clone())).collect();
        Self { canonical }
    }

    /// Returns the canonical name; an unknown wire name is returned unchanged.
    pub(crate) fn canonical(&self, wire_name: &str) -> String {
        self.canonical.get(wire_name).map_or_else(|| wire_name.to_owned(), Clone::clone)
    }
}

/// Returns the name of a tool for vendors.
pub(crate) fn wire_name(canonical: &str) -> String {
    let plain = canonical.replacen('.', "__", 1);
    let is_plain = plain.len() <= MAX_LENGTH
        && plain.chars().all(is_allowed)
        && plain.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && plain.matches("__").count() == canonical.matches('.').count()
        && !plain.contains("___");
    if is_plain { plain } else { with_suffix(canonical) }
}

fn is_allowed(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '-'
}

/// Returns as much of the name as fits, with a hash of the whole name.
fn with_suffix(canonical: &str) -> String {
    let sanitized = canonical.chars().map(|character| if is_allowed(character) { character } else { '_' });
    let sanitized: String = std::iter::once('t').chain(sanitized).take(MAX_LENGTH - SUFFIX_LENGTH).collect();
    format!("{sanitized}_{:08x}", fingerprint(canonical))
}

/// Returns the FNV-1a hash of a name, which is stable across versions and platforms.
fn fingerprint(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test panics on unexpected results")]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::json;
    use tarsy_domain::ToolDefinition;

    use super::{MAX_LENGTH, NameTable, is_allowed, wire_name};
    use crate::{ModelRequest, NativeTools, Tags};

    fn request(names: &[String]) -> ModelRequest {
        let tools = names.iter().map(|name| ToolDefinition {
            name: name.clone(),
            description: String::new(),
            input_schema: json!({}),
        });
        ModelRequest {
            stop_sequences: &[],
            messages: Vec::new(),
            tools: tools.map(Arc::new).collect(),
            native_tools: NativeTools::default(),
            tags: Tags::default(),
        }
    }

    #[test]
    fn plain_names_stay_legible() {
        assert_eq!(wire_name("kubernetes-server.pods_list"), "kubernetes-server__pods_list");
    }

    #[test]
    fn ambiguous_names_stay_distinct() {
        let names = ["a.b__c", "a__b.c", "a.b.c", "a_.b", "a._b", "1a.b", "a/b.c", "a b.c", "ä.b"];
        let mut wire: Vec<String> = names.iter().map(|name| wire_name(name)).collect();
        wire.sort();
        wire.dedup();
        assert_eq!(wire.len(), names.len(), "{wire:?}");
    }

    proptest! {
        #[test]
        fn every_wire_name_is_valid_and_maps_back(
            names in proptest::collection::hash_set("[a-zA-Z0-9_./ äé-]{1,100}", 1..20)
        ) {
            let names: Vec<String> = names.into_iter().collect();
            let table = NameTable::new(&request(&names));
            for name in &names {
                let wire = wire_name(name);
                prop_assert!(wire.len() <= MAX_LENGTH && wire.chars().all(is_allowed), "{}", wire);
                prop_assert!(wire.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_'));
                prop_assert_eq!(&table.canonical(&wire), name);
            }
        }
    }
}
