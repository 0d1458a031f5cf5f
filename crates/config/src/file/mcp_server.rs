//! The `mcp_servers` section: how MCP servers are connected, and how their results are processed.
//!
//! A rule checks the keys that each transport type needs. The toolbox opens the connections.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsy_domain::Secret;

use super::LlmBackend;
use crate::{Period, ServedExecution};

/// An MCP server: its connection, and how the results of its tools are processed.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct McpServerConfig {
    /// Connection to the server. In `url`, `headers`, `args` and `env`, `{{.SESSION_ID}}` is replaced by the id of the
    /// execution and `{{.SESSION_AGENT}}` by its stage and agent.
    pub transport: TransportConfig,
    /// Instructions for agents about the tools of this server.
    pub instructions: Option<String>,
    /// Masking of tool results. Default: the pattern group `security`.
    pub data_masking: Option<DataMasking>,
    /// Summarization of long results.
    #[serde(default)]
    pub summarization: Summarization,
    /// Whether executions share a connection. Default: `execution` if the transport contains `{{.SESSION_ID}}` or
    /// `{{.SESSION_AGENT}}`, otherwise `shared`.
    pub isolation: Option<IsolationConfig>,
    /// Tools of the server that agents can call.
    #[serde(default)]
    pub tools: ToolFilterConfig,
}

/// Connection to an MCP server.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransportConfig {
    /// Transport type.
    pub r#type: TransportType,
    /// `stdio`: program to start.
    #[schemars(length(min = 1))]
    pub command: Option<String>,
    /// `stdio`: arguments of the program.
    pub args: Option<Vec<Secret>>,
    /// `stdio`: environment variables of the program, added to those it inherits.
    #[schemars(extend("x-secret" = true))]
    pub env: Option<BTreeMap<String, Secret>>,
    /// `http` and `sse`: URL of the server.
    #[schemars(length(min = 1), extend("format" = "http-address"))]
    pub url: Option<Secret>,
    /// `http` and `sse`: token sent as `Authorization: Bearer`.
    #[schemars(length(min = 1), extend("x-secret" = true))]
    pub bearer_token: Option<Secret>,
    /// `http` and `sse`: headers sent with every request.
    #[schemars(extend("x-secret" = true, "x-alias" = ["custom_headers"]))]
    pub headers: Option<BTreeMap<String, Secret>>,
    /// `http` and `sse`: whether the TLS certificate of the server is verified. Default: `true`.
    pub verify_ssl: Option<bool>,
    /// Timeout of one tool call. Default: `60s`.
    pub timeout: Option<Period>,
    /// Timeout of the start: of the program, of the handshake, and of the first list of tools. Default: `2m` for `stdio`,
    /// `30s` for `http` and `sse`.
    pub start_timeout: Option<Period>,
    /// `http` and `sse`: URL that receives a `DELETE` request when an execution ends.
    #[schemars(length(min = 1), extend("format" = "http-address"))]
    pub session_cleanup_url: Option<Secret>,
}

/// Transport type of an MCP server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TransportType {
    /// A local program, connected through its standard input and output.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// Server-sent events, the older HTTP transport.
    Sse,
}

/// Masking of the results of a server's tools.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DataMasking {
    /// Enables masking.
    pub enabled: bool,
    /// Groups of built-in patterns. Default: `security`, if `patterns` is empty too.
    pub pattern_groups: Vec<String>,
    /// Built-in patterns by name.
    pub patterns: Vec<String>,
    /// Custom patterns.
    pub custom_patterns: Vec<CustomPatternConfig>,
}

impl Default for DataMasking {
    fn default() -> Self {
        Self { enabled: true, pattern_groups: Vec::new(), patterns: Vec::new(), custom_patterns: Vec::new() }
    }
}

/// A custom masking pattern.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomPatternConfig {
    /// Name of the pattern, unique for this server. Default: its description, or its position.
    #[schemars(length(min = 1))]
    pub name: Option<String>,
    /// Regular expression that matches the values to mask.
    #[schemars(length(min = 1), extend("format" = "regex"))]
    pub pattern: String,
    /// Replacement text. `${1}` is the match of the first group.
    pub replacement: String,
    /// Description of the pattern, shown to people only.
    pub description: Option<String>,
}

impl CustomPatternConfig {
    /// Returns the name of the pattern, or else its description or its position in the list.
    pub fn name_or_place(&self, index: usize) -> String {
        let named = self.name.as_ref().or(self.description.as_ref()).filter(|text| !text.is_empty());
        named.cloned().unwrap_or_else(|| format!("custom pattern {}", index + 1))
    }
}

/// Summarization of long results.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Summarization {
    /// Enables summarization.
    pub enabled: bool,
    /// Number of tokens above which a result is summarized.
    #[schemars(range(min = 1))]
    pub size_threshold_tokens: u32,
    /// Maximum number of tokens of a summary.
    #[schemars(range(min = 1))]
    pub summary_max_token_limit: u32,
    /// Model provider. Default: `defaults.summarization.llm_provider`.
    #[schemars(length(min = 1))]
    pub llm_provider: Option<String>,
    /// How the model is called.
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

/// Whether executions share a connection to an MCP server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Isolation")]
pub enum IsolationConfig {
    /// One connection for all executions.
    Shared,
    /// One connection per execution; for `stdio`, one process per execution.
    Execution,
}

/// Tools of a server that agents can call. Names can contain the wildcard `*`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolFilterConfig {
    /// Tools to allow. Default: all.
    #[schemars(inner(length(min = 1)))]
    pub allow: Option<Vec<String>>,
    /// Tools to hide. Takes precedence over `allow`.
    #[schemars(inner(length(min = 1)))]
    pub deny: Vec<String>,
}

impl McpServerConfig {
    /// Returns whether executions share a connection to this server.
    pub fn isolation(&self) -> IsolationConfig {
        match self.isolation {
            Some(isolation) => isolation,
            None if self.transport.mentions_session() => IsolationConfig::Execution,
            None => IsolationConfig::Shared,
        }
    }

    /// Returns the filter for the tools of this server.
    pub fn tool_filter(&self) -> tarsy_domain::ToolFilter {
        tarsy_domain::ToolFilter { allow: self.tools.allow.clone(), deny: self.tools.deny.clone() }
    }
}

impl TransportType {
    /// Returns the value as written in a file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Sse => "sse",
        }
    }
}

impl TransportConfig {
    /// Returns the transport for one execution, with `{{.SESSION_ID}}` and `{{.SESSION_AGENT}}` replaced. The id makes
    /// the result different for every execution.
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

    /// Returns whether the transport contains a placeholder that is replaced for each execution.
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
