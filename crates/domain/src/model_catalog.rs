//! What is known about models by name: a table of capabilities, limits, thinking parameters and prices.
//!
//! Vendors do not report which parameters a model accepts, but reject requests with parameters that it does
//! not accept. The table ([`models.json`](./model_catalog/models.json)) is embedded in the binary. A
//! configuration can extend or override it with its own entries. A model that no entry matches has default
//! traits: nothing is known about it.
//!
//! A pattern is a glob and, optionally, a version range; see [`ModelPattern`]. In the embedded table the
//! first entry that matches applies. Overrides apply before it, field by field, those with the longest
//! literal text first.

mod entry;
mod pattern;

use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};

pub use entry::{
    InterleavedThinking, LevelValues, ModelEntry, ModelPrice, ModelVendor, NativeToolSupport,
    ThinkingBudgets, ThinkingLevel, ThinkingOff, ThinkingStyle, ThinkingSupport,
};
pub use pattern::{InvalidModelPattern, ModelPattern};

const EMBEDDED: &str = include_str!("model_catalog/models.json");

// A test checks that the table parses; an empty table would mean that nothing is known about any model.
static BUILTIN: LazyLock<Arc<[CatalogRow]>> = LazyLock::new(|| parse(EMBEDDED).unwrap_or_default().into());

/// The table of models. Cloning it is cheap.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCatalog {
    overrides: Arc<[CatalogRow]>,
    builtin: Arc<[CatalogRow]>,
}

#[derive(Debug, Clone, PartialEq)]
struct CatalogRow {
    pattern: ModelPattern,
    entry: ModelEntry,
}

/// What is known about one model. A model that no entry matches has the default value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelTraits {
    /// The vendor of the model.
    pub vendor: Option<ModelVendor>,
    /// Tokens the model can read and write in one call.
    pub context_window: Option<u32>,
    /// Maximum number of tokens in one reply.
    pub max_output_tokens: Option<u32>,
    /// Tokens to allow in one reply where the API requires a number and the configuration has none.
    pub default_output_tokens: Option<u32>,
    /// Whether the API rejects a temperature for this model.
    pub fixed_temperature: bool,
    /// Whether the API accepts stop sequences for this model; `None` if nothing is known.
    pub stop_sequences: Option<bool>,
    /// Whether the model can call tools.
    pub tools: Option<bool>,
    /// Whether the model can be bound to a JSON Schema for its reply.
    pub structured_output: Option<bool>,
    /// Tools that the vendor runs.
    pub native_tools: NativeToolSupport,
    /// Whether the API rejects tool calls of earlier turns without a signature.
    pub signed_tool_calls: bool,
    /// How thinking is requested; `None` if nothing is known.
    pub thinking: Option<ThinkingSupport>,
    /// Prices.
    pub price: ModelPrice,
}

impl Default for ModelCatalog {
    fn default() -> Self {
        Self { overrides: Arc::default(), builtin: Arc::clone(&BUILTIN) }
    }
}

impl ModelCatalog {
    /// Returns the embedded table with `entries` applied before it.
    ///
    /// # Errors
    /// The first pattern that cannot be parsed.
    pub fn with_overrides(
        entries: impl IntoIterator<Item = (String, ModelEntry)>,
    ) -> Result<Self, InvalidModelPattern> {
        let rows = entries.into_iter().map(|(pattern, entry)| CatalogRow::new(&pattern, entry));
        let mut overrides = rows.collect::<Result<Vec<_>, _>>()?;
        overrides.sort_by_key(|row| std::cmp::Reverse(row.pattern.literal_characters()));
        Ok(Self { overrides: overrides.into(), ..Self::default() })
    }

    /// Returns what is known about a model.
    pub fn lookup(&self, model: &str) -> ModelTraits {
        self.lookup_among(ModelVendor::ALL, model)
    }

    /// Returns what is known about a model, from entries of these vendors and entries without a vendor.
    ///
    /// A wire passes the vendors whose parameters it can encode, because the same model takes other
    /// parameters through the API of a gateway.
    pub fn lookup_among(&self, vendors: &[ModelVendor], model: &str) -> ModelTraits {
        let name = pattern::normalized(model);
        let applies = |row: &&CatalogRow| {
            row.entry.vendor.is_none_or(|vendor| vendors.contains(&vendor)) && row.pattern.matches(&name)
        };
        let overrides = self.overrides.iter().filter(applies);
        let rows = overrides.chain(self.builtin.iter().find(applies));
        rows.fold(ModelEntry::default(), |known, row| known.or(&row.entry)).into()
    }
}

impl CatalogRow {
    fn new(pattern: &str, entry: ModelEntry) -> Result<Self, InvalidModelPattern> {
        Ok(Self { pattern: pattern.parse()?, entry })
    }
}

impl From<ModelEntry> for ModelTraits {
    fn from(entry: ModelEntry) -> Self {
        Self {
            vendor: entry.vendor,
            context_window: entry.context_window,
            max_output_tokens: entry.max_output_tokens,
            default_output_tokens: entry.default_output_tokens,
            fixed_temperature: entry.fixed_temperature.unwrap_or_default(),
            stop_sequences: entry.stop_sequences,
            tools: entry.tools,
            structured_output: entry.structured_output,
            native_tools: entry.native_tools.unwrap_or_default(),
            signed_tool_calls: entry.signed_tool_calls.unwrap_or_default(),
            thinking: entry.thinking,
            price: entry.price.unwrap_or_default(),
        }
    }
}

/// Parses a table: an object from patterns to entries, in order.
fn parse(json: &str) -> Result<Vec<CatalogRow>, String> {
    let table: Map<String, Value> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let row = |(pattern, entry): (String, Value)| {
        let entry = serde_json::from_value(entry).map_err(|error| format!("{pattern}: {error}"))?;
        CatalogRow::new(&pattern, entry).map_err(|error| error.to_string())
    };
    table.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests;
