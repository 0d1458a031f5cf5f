//! `tarsy schema`: schemas of the configuration and the HTTP API.

use std::io::Write;

use anyhow::Context;

use crate::arguments::{SchemaArguments, SchemaKind};

/// Prints a schema. Needs no configuration and no database.
pub(crate) fn schema(arguments: &SchemaArguments) -> anyhow::Result<()> {
    let schema = match arguments.of {
        SchemaKind::Config => serde_json::to_string_pretty(&tarsy_config::json_schema()),
        SchemaKind::Openapi => serde_json::to_string_pretty(&tarsy_server::openapi_document()),
        SchemaKind::Reference => Ok(tarsy_config::reference().trim_end().to_owned()),
    };
    let schema = schema.context("serializing the schema")?;
    writeln!(std::io::stdout(), "{schema}").context("writing the schema")
}
