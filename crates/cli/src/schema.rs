//! `tarsy schema`: what editors and programs want to know about the configuration and the HTTP interface.

use std::io::Write;

use anyhow::Context;

use crate::arguments::{Described, SchemaArguments};

/// Prints a schema. Nothing is started for it.
pub(crate) fn schema(arguments: &SchemaArguments) -> anyhow::Result<()> {
    let schema = match arguments.of {
        Described::Config => serde_json::to_string_pretty(&tarsy_config::json_schema()),
        Described::Openapi => serde_json::to_string_pretty(&tarsy_server::openapi_document()),
        Described::Reference => Ok(tarsy_config::reference().trim_end().to_owned()),
    };
    let schema = schema.context("writing the schema as JSON")?;
    writeln!(std::io::stdout(), "{schema}").context("writing the schema")
}
