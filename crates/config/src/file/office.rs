//! Notifications, prices and holidays.
//!
//! These keys are read and checked, but have no effect yet.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Slack notifications about sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SlackConfig {
    /// Enables notifications.
    pub enabled: bool,
    /// Environment variable that holds the token of the bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("format" = "variable-name"))]
    pub token_env: Option<String>,
    /// Id of the channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub channel: Option<String>,
}

/// Model prices for cost estimates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CostEstimationConfig {
    /// Enables cost estimates.
    pub enabled: bool,
    /// Prices by exact model name.
    pub model_rates: BTreeMap<String, ModelRateConfig>,
    /// Prices for a limited time.
    pub promotions: Vec<PromotionConfig>,
}

impl Default for CostEstimationConfig {
    fn default() -> Self {
        Self { enabled: true, model_rates: BTreeMap::new(), promotions: Vec::new() }
    }
}

/// The price of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelRateConfig {
    /// Price of one million input tokens in US dollars.
    #[schemars(range(min = 0))]
    pub input_per_million: f64,
    /// Price of one million output tokens in US dollars.
    #[schemars(range(min = 0))]
    pub output_per_million: f64,
}

/// The price of a model for a limited time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromotionConfig {
    /// Name of the promotion.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub id: Option<String>,
    /// Exact model name.
    #[schemars(length(min = 1))]
    pub model: String,
    /// First day or time. Default: it has begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub start: Option<String>,
    /// Day or time at which it ends.
    #[schemars(length(min = 1))]
    pub end: String,
    /// Price of one million input tokens in US dollars.
    #[schemars(range(min = 0))]
    pub input_per_million: f64,
    /// Price of one million output tokens in US dollars.
    #[schemars(range(min = 0))]
    pub output_per_million: f64,
}

/// A day on which fewer people are at work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HolidayConfig {
    /// Month and day, such as `12-25`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub date: Option<String>,
    /// Name of the day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub name: Option<String>,
}
