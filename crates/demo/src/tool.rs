//! The tools that read a cluster.
//!
//! A tool is a pure function of the cluster, its arguments and the clock. The doc comments of the argument structs are
//! their JSON Schema, which models read.

mod deploy_history;
mod describe;
mod get;
mod logs;
mod query_metrics;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::cluster::Cluster;
use crate::incident_clock::IncidentClock;
use crate::suggestion::suggestion;

/// A tool. Its fields are its arguments.
pub(crate) trait ClusterTool: DeserializeOwned + JsonSchema {
    /// The name of the tool.
    const NAME: &'static str;
    /// The description of the tool.
    const DESCRIPTION: &'static str;

    /// Returns the result, or an error that explains how to correct the arguments.
    fn run(&self, cluster: &Cluster, clock: IncidentClock) -> Result<String, String>;
}

/// The arguments of a call by name.
pub(crate) type ToolArguments = Map<String, Value>;

/// Runs a tool with unparsed arguments.
type ToolFunction = fn(ToolArguments, &Cluster, IncidentClock) -> Result<String, String>;

/// A tool in the list of tools.
pub(crate) struct ToolEntry {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// The JSON Schema of the arguments.
    pub(crate) input_schema: Arc<Map<String, Value>>,
    function: ToolFunction,
}

/// Returns all tools.
pub(crate) fn tools() -> Vec<ToolEntry> {
    vec![
        ToolEntry::of::<get::Get>(),
        ToolEntry::of::<describe::Describe>(),
        ToolEntry::of::<logs::Logs>(),
        ToolEntry::of::<query_metrics::QueryMetrics>(),
        ToolEntry::of::<deploy_history::DeployHistory>(),
    ]
}

/// Runs the tool of this name.
pub(crate) fn run(
    name: &str,
    arguments: ToolArguments,
    cluster: &Cluster,
    clock: IncidentClock,
) -> Result<String, String> {
    let tools = tools();
    let tool = tools.iter().find(|tool| tool.name == name);
    let tool = tool.ok_or_else(|| {
        format!("there is no tool {name}; {}", suggestion(name, tools.iter().map(|tool| tool.name)))
    })?;
    (tool.function)(arguments, cluster, clock)
}

impl ToolEntry {
    fn of<T: ClusterTool>() -> Self {
        let schema = schemars::schema_for!(T).to_value();
        let schema = if let Value::Object(fields) = schema { fields } else { Map::new() };
        Self {
            name: T::NAME,
            description: T::DESCRIPTION,
            input_schema: Arc::new(schema),
            function: parse_and_run::<T>,
        }
    }
}

fn parse_and_run<T: ClusterTool>(
    arguments: ToolArguments,
    cluster: &Cluster,
    clock: IncidentClock,
) -> Result<String, String> {
    let tool: T = serde_json::from_value(Value::Object(arguments))
        .map_err(|error| format!("the arguments do not fit {}: {error}", T::NAME))?;
    tool.run(cluster, clock)
}

#[cfg(test)]
mod tests;
