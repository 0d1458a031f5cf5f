//! The `system` section: the surroundings of the investigations.
//!
//! It does not hold listen addresses, the data directory or the database: those belong to the command line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::access::AccessConfig;
use super::database::DatabaseConfig;
use super::no_effect::NoEffect;
use crate::Period;

/// The system around the investigations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SystemConfig {
    /// Where people open the dashboard; used in links. Without it, links are relative.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("format" = "http-address"))]
    pub dashboard_url: Option<String>,
    /// Origins, besides the dashboard's own, that may open a WebSocket, such as `https://tarsy.example.com`.
    #[schemars(extend("items" = { "type": "string", "format": "http-origin", "minLength": 1 }))]
    pub allowed_ws_origins: Vec<String>,
    /// Who may come in, and how they are known.
    pub access: AccessConfig,
    /// How this process uses the database.
    pub database: DatabaseConfig,
    /// Access to GitHub, for runbooks in private repositories.
    pub github: Github,
    /// Where runbooks come from.
    pub runbooks: RunbooksConfig,
    /// How long sessions and events are kept.
    pub retention: Retention,
    /// How notifications of Alertmanager are read.
    pub alertmanager: Alertmanager,
    /// How senders of webhooks prove who they are.
    pub webhooks: WebhooksConfig,
    /// Messages to Slack about sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack: Option<NoEffect>,
    /// Prices of models, to estimate what a session costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_estimation: Option<NoEffect>,
    /// Days on which nobody is on call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holidays: Option<NoEffect>,
}

/// Access to GitHub.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Github {
    /// The environment variable that holds a token.
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub token_env: String,
}

impl Default for Github {
    fn default() -> Self {
        Self { token_env: "GITHUB_TOKEN".to_owned() }
    }
}

/// Where runbooks come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RunbooksConfig {
    /// The repository folder whose runbooks are offered when an alert is submitted by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("format" = "http-address"))]
    pub repo_url: Option<String>,
    /// How long a fetched runbook is used again.
    #[schemars(extend("x-may-be-zero" = true))]
    pub cache_ttl: Period,
    /// Hosts a runbook may be fetched from, each with a port if it is not that of `https`.
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

/// How long sessions and events are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Retention {
    /// Sessions older than this many days are removed.
    #[schemars(range(min = 1))]
    pub session_retention_days: u32,
    /// How long live events can be caught up on.
    pub event_ttl: Period,
    /// How often old sessions and events are looked for.
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

/// How notifications of Alertmanager are read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Alertmanager {
    /// The label whose value is the alert type. Where no chain takes it: `defaults.alert_type`.
    #[schemars(length(min = 1))]
    pub alert_type_label: String,
}

impl Default for Alertmanager {
    fn default() -> Self {
        Self { alert_type_label: "alertname".to_owned() }
    }
}

/// How senders of webhooks prove who they are. Without an entry, a sender is treated as any other client.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WebhooksConfig {
    /// Alertmanager, or what stands between it and this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alertmanager: Option<WebhookProof>,
}

/// What a sender must show: a bearer token, or a signature of the body.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WebhookProof {
    /// The environment variable that holds the token which comes as `Authorization: Bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub bearer_token_env: Option<String>,
    /// The environment variable that holds the secret with which bodies are signed: HMAC-SHA256, in hexadecimal digits, with or
    /// without `sha256=` before them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub hmac_secret_env: Option<String>,
    /// The header that holds the signature. Without it: `X-Hub-Signature-256`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub hmac_header: Option<String>,
}
