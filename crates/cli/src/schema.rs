//! `tarsy schema`: the JSON Schema of the configuration, for editors.

use std::io::Write;

use anyhow::Context;

/// Prints the schema.
pub(crate) fn schema() -> anyhow::Result<()> {
    let schema =
        serde_json::to_string_pretty(&tarsy_config::json_schema()).context("writing the schema as JSON")?;
    writeln!(std::io::stdout(), "{schema}").context("writing the schema")
}
