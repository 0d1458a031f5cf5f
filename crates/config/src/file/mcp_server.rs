//! The `mcp_servers` section: how tools are reached, and what happens to their results.
//!
//! Which keys of a transport go together is a rule. Connecting is the business of the tool box.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsy_domain::Secret;

use super::LlmBackend;
use crate::{Period, ServedExecution};

/// An MCP server: how to reach it, and what to do with what its tools return.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct McpServerConfig {
    /// How the server is reached. `{{.SESSION_ID}}` in `url`, `headers`, `args` and `env` is the id of
    /// the execution, `{{.SESSION_AGENT}}` its stage and agent.
    pub transport: TransportConfig,
    /// What an agent should know about the tools of this server.
    pub instructions: Option<String>,
    /// What is masked in results before anybody sees them. Without it: the group `security`.
    pub data_masking: Option<DataMasking>,
    /// How results that are too long become short.
    #[serde(default)]
    pub summarization: Summarization,
    /// Whether executions share a connection. Without it: they share, unless the transport mentions
    /// `{{.SESSION_ID}}` or `{{.SESSION_AGENT}}`.
    pub isolation: Option<IsolationConfig>,
    /// Which of the server's tools agents see.
    #[serde(default)]
    pub tools: ToolFilterConfig,
}

/// How an MCP server is reached.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransportConfig {
    /// The kind of transport.
    pub r#type: TransportType,
    /// `stdio`: the program to start.
    #[schemars(length(min = 1))]
    pub command: Option<String>,
    /// `stdio`: its arguments.
    pub args: Option<Vec<Secret>>,
    /// `stdio`: its environment, besides what it inherits.
    #[schemars(extend("x-secret" = true))]
    pub env: Option<BTreeMap<String, Secret>>,
    /// `http` and `sse`: where the server listens.
    #[schemars(length(min = 1), extend("format" = "http-address"))]
    pub url: Option<Secret>,
    /// `http` and `sse`: sent as `Authorization: Bearer`.
    #[schemars(extend("x-secret" = true))]
    pub bearer_token: Option<Secret>,
    /// `http` and `sse`: sent with every request.
    #[schemars(extend("x-secret" = true, "x-alias" = ["custom_headers"]))]
    pub headers: Option<BTreeMap<String, Secret>>,
    /// `http` and `sse`: whether the server's certificate is checked.
    pub verify_ssl: Option<bool>,
    /// How long one call may take.
    pub timeout: Option<Period>,
    /// `http` and `sse`: called with `DELETE` when an execution ends.
    #[schemars(length(min = 1), extend("format" = "http-address"))]
    pub session_cleanup_url: Option<Secret>,
}

/// The kind of a transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TransportType {
    /// A program that is started here and spoken to over its standard input and output.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// Server-sent events, the older HTTP transport.
    Sse,
}

/// What is masked in the results of a server's tools.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DataMasking {
    /// Whether results are masked.
    pub enabled: bool,
    /// Groups of built-in patterns. Where no group and no single pattern is named: `security`.
    pub pattern_groups: Vec<String>,
    /// Single built-in patterns.
    pub patterns: Vec<String>,
    /// Patterns of your own.
    pub custom_patterns: Vec<CustomPatternConfig>,
}

impl Default for DataMasking {
    fn default() -> Self {
        Self { enabled: true, pattern_groups: Vec::new(), patterns: Vec::new(), custom_patterns: Vec::new() }
    }
}

/// A masking pattern of your own.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomPatternConfig {
    /// A name for it.
    #[schemars(length(min = 1))]
    pub name: String,
    /// A regular expression that finds what must not be seen.
    #[schemars(length(min = 1), extend("format" = "regex"))]
    pub pattern: String,
    /// What stands in its place; `${1}` is what the first group found.
    pub replacement: String,
    /// What it masks, for people.
    pub description: Option<String>,
}

/// How results that are too long become short.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Summarization {
    /// Whether long results are summarised.
    pub enabled: bool,
    /// Results longer than this are.
    #[schemars(range(min = 1))]
    pub size_threshold_tokens: u32,
    /// How long a summary may be.
    #[schemars(range(min = 1))]
    pub summary_max_token_limit: u32,
    /// The model provider that summarises.
    pub llm_provider: Option<String>,
    /// How it is called.
    pub llm_backend: Option<LlmBackend>,
}

impl Default for Summarization {
    fn default() -> Self {
        Self {
            enabled: true,
            size_threshold_tokens: 5000,
            summary_max_token_limit: 1000,
            llm_provider: None,
            llm_backend: None,
        }
    }
}

/// Whether executions share a connection to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Isolation")]
pub enum IsolationConfig {
    /// One connection for all.
    Shared,
    /// One connection, and for `stdio` one process, for each execution.
    Execution,
}

/// Which tools of a server agents see. A name may contain `*`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolFilterConfig {
    /// Only these. Without it: all.
    #[schemars(inner(length(min = 1)))]
    pub allow: Option<Vec<String>>,
    /// Not these.
    #[schemars(inner(length(min = 1)))]
    pub deny: Vec<String>,
}

impl McpServerConfig {
    /// Whether executions share a connection to this server.
    pub fn isolation(&self) -> IsolationConfig {
        match self.isolation {
            Some(isolation) => isolation,
            None if self.transport.mentions_session() => IsolationConfig::Execution,
            None => IsolationConfig::Shared,
        }
    }

    /// Which of the server's tools agents see.
    pub fn tool_filter(&self) -> tarsy_domain::ToolFilter {
        tarsy_domain::ToolFilter { allow: self.tools.allow.clone(), deny: self.tools.deny.clone() }
    }
}

impl TransportType {
    /// The word in a file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Sse => "sse",
        }
    }
}

impl TransportConfig {
    /// The transport of one execution: `{{.SESSION_ID}}` is its id, so that no two executions have the same, and
    /// `{{.SESSION_AGENT}}` says whose it is.
    #[must_use]
    pub fn filled(&self, served: ServedExecution<'_>) -> Self {
        let fill = |text: &Secret| Secret::new(crate::expand::fill_session(text.expose(), served));
        let fill_map = |map: &BTreeMap<String, Secret>| {
            map.iter().map(|(name, value)| (name.clone(), fill(value))).collect()
        };
        Self {
            args: self.args.as_ref().map(|args| args.iter().map(fill).collect()),
            env: self.env.as_ref().map(fill_map),
            url: self.url.as_ref().map(fill),
            headers: self.headers.as_ref().map(fill_map),
            session_cleanup_url: self.session_cleanup_url.as_ref().map(fill),
            ..self.clone()
        }
    }

    /// Whether something in it is filled for each execution.
    pub fn mentions_session(&self) -> bool {
        let lists = self.args.iter().flatten();
        let maps = self.env.iter().chain(&self.headers).flat_map(BTreeMap::values);
        lists
            .chain(maps)
            .chain(&self.url)
            .chain(&self.session_cleanup_url)
            .any(|text| crate::expand::mentions_session(text.expose()))
    }
}
