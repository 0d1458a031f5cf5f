//! The tools that look at a cluster: what each takes, and what it answers.
//!
//! Looking is pure: a cluster, arguments and the present go in, a text comes out.

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
use crate::nearest::instead;
use crate::present::Present;

/// A way to look at a cluster: its fields are the arguments of the tool.
pub(crate) trait Look: DeserializeOwned + JsonSchema {
    /// The name of the tool.
    const NAME: &'static str;
    /// What it is for.
    const DESCRIPTION: &'static str;

    /// What there is to see, or what was wrong with the arguments and what would be right.
    fn look(&self, cluster: &Cluster, present: Present) -> Result<String, String>;
}

/// The arguments of a call, by their names.
pub(crate) type Arguments = Map<String, Value>;

/// What comes of looking with some arguments.
type Looking = fn(Arguments, &Cluster, Present) -> Result<String, String>;

/// A tool as it is offered.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// The JSON Schema of its arguments.
    pub(crate) input_schema: Arc<Map<String, Value>>,
    look: Looking,
}

/// All tools.
pub(crate) fn tools() -> Vec<Tool> {
    vec![
        Tool::of::<get::Get>(),
        Tool::of::<describe::Describe>(),
        Tool::of::<logs::Logs>(),
        Tool::of::<query_metrics::QueryMetrics>(),
        Tool::of::<deploy_history::DeployHistory>(),
    ]
}

/// Looks with the tool of this name.
pub(crate) fn look(
    name: &str,
    arguments: Arguments,
    cluster: &Cluster,
    present: Present,
) -> Result<String, String> {
    let tools = tools();
    let tool = tools.iter().find(|tool| tool.name == name);
    let tool = tool.ok_or_else(|| {
        format!("there is no tool {name}; {}", instead(name, tools.iter().map(|tool| tool.name)))
    })?;
    (tool.look)(arguments, cluster, present)
}

impl Tool {
    fn of<L: Look>() -> Self {
        let schema = schemars::schema_for!(L).to_value();
        let schema = if let Value::Object(fields) = schema { fields } else { Map::new() };
        Self {
            name: L::NAME,
            description: L::DESCRIPTION,
            input_schema: Arc::new(schema),
            look: look_with::<L>,
        }
    }
}

fn look_with<L: Look>(arguments: Arguments, cluster: &Cluster, present: Present) -> Result<String, String> {
    let look: L = serde_json::from_value(Value::Object(arguments))
        .map_err(|error| format!("the arguments do not fit {}: {error}", L::NAME))?;
    look.look(cluster, present)
}

#[cfg(test)]
mod tests;
