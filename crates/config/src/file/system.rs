//! The `system` section: server-wide settings.
//!
//! Listen addresses, the data directory and the database URL are command-line options, not keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::access::AccessConfig;
use super::database::DatabaseConfig;
use super::{CostEstimationConfig, HolidayConfig, SlackConfig};
use crate::{OriginPattern, Period};

/// Server-wide settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SystemConfig {
    /// URL at which people open the dashboard, used in links. Default: links are relative.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("format" = "http-address", "x-assume-http" = true))]
    pub dashboard_url: Option<String>,
    /// Additional origins whose pages can open a WebSocket and change data, such as `https://tarsy.example.com`. A host
    /// pattern without a scheme is for HTTP and HTTPS: `tarsy.example.com`, `*.example.com` for all subdomains,
    /// `localhost:*` for all ports. The origin of the dashboard is always allowed.
    #[schemars(with = "Vec<String>", extend("items" = { "type": "string", "format": "http-origin", "minLength": 1 }))]
    pub allowed_ws_origins: Vec<OriginPattern>,
    /// Authentication of callers.
    pub access: AccessConfig,
    /// How this process uses the database.
    pub database: DatabaseConfig,
    /// Credentials for runbooks in private GitHub repositories.
    pub github: Github,
    /// Sources of runbooks.
    pub runbooks: RunbooksConfig,
    /// Retention of sessions and events.
    pub retention: Retention,
    /// How Alertmanager notifications are interpreted.
    pub alertmanager: Alertmanager,
    /// Authentication of webhook senders.
    pub webhooks: WebhooksConfig,
    /// Slack notifications about sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-no-effect" = true))]
    pub slack: Option<SlackConfig>,
    /// Model prices for cost estimates.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-no-effect" = true))]
    pub cost_estimation: Option<CostEstimationConfig>,
    /// Days without an on-call engineer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-no-effect" = true))]
    pub holidays: Option<Vec<HolidayConfig>>,
}

/// Credentials for GitHub.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Github {
    /// Environment variable that holds a GitHub token.
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub token_env: String,
    /// Base URL of GitHub's API, which lists the runbooks of `system.runbooks.repo_url`. The token is sent to it.
    #[schemars(length(min = 1), extend("format" = "http-address"))]
    pub api_url: String,
}

impl Default for Github {
    fn default() -> Self {
        Self { token_env: "GITHUB_TOKEN".to_owned(), api_url: "https://api.github.com".to_owned() }
    }
}

/// Sources of runbooks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RunbooksConfig {
    /// Repository whose Markdown files are offered as runbooks when an alert is submitted in the dashboard: the URL of a GitHub
    /// repository or of a folder in one, such as `https://github.com/example/runbooks/tree/main/alerts`, or the path of a local
    /// folder that starts with `/` or `./`, relative to the configuration directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("format" = "repository"))]
    pub repo_url: Option<String>,
    /// Time for which a fetched runbook is cached. `0` disables the cache.
    #[schemars(extend("x-may-be-zero" = true))]
    pub cache_ttl: Period,
    /// Hosts from which runbooks can be fetched. Add the port if it is not 443.
    #[schemars(extend("items" = { "type": "string", "format": "host-name", "minLength": 1 }))]
    pub allowed_domains: Vec<String>,
}

impl Default for RunbooksConfig {
    fn default() -> Self {
        Self {
            repo_url: None,
            cache_ttl: Period::from_secs(60),
            allowed_domains: vec!["github.com".to_owned(), "raw.githubusercontent.com".to_owned()],
        }
    }
}

/// Retention of sessions and events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Retention {
    /// Days after which sessions are deleted.
    #[schemars(range(min = 1))]
    pub session_retention_days: u32,
    /// Time for which events are kept for clients that reconnect.
    pub event_ttl: Period,
    /// Interval at which expired sessions and events are deleted.
    pub cleanup_interval: Period,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            session_retention_days: 365,
            event_ttl: Period::from_secs(60 * 60),
            cleanup_interval: Period::from_secs(12 * 60 * 60),
        }
    }
}

/// How Alertmanager notifications are interpreted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Alertmanager {
    /// Label whose value is the alert type. If no chain handles that type, `defaults.alert_type` is used.
    #[schemars(length(min = 1))]
    pub alert_type_label: String,
}

impl Default for Alertmanager {
    fn default() -> Self {
        Self { alert_type_label: "alertname".to_owned() }
    }
}

/// Authentication of webhook senders. A sender without an entry is authenticated like any other client.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WebhooksConfig {
    /// Alertmanager, or a relay between it and this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alertmanager: Option<WebhookProof>,
}

/// Credentials that a webhook sender must present: a bearer token, or a signature of the request body.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WebhookProof {
    /// Environment variable that holds the expected bearer token.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub bearer_token_env: Option<String>,
    /// Environment variable that holds the signing secret. The signature is the HMAC-SHA256 of the body in hexadecimal,
    /// optionally prefixed with `sha256=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub hmac_secret_env: Option<String>,
    /// Header that holds the signature. Default: `X-Hub-Signature-256`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub hmac_header: Option<String>,
}
