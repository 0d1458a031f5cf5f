//! An entry of the model catalog, as it is written in the embedded table and in configuration files.
//!
//! Every field is optional; a field that is not set is taken from the next matching entry, or is unknown.

use serde::Deserialize;

use crate::string_enum::string_enum;

string_enum! {
    /// The vendor of a model.
    pub enum ModelVendor {
        /// Google.
        Google = "google",
        /// Anthropic.
        Anthropic = "anthropic",
        /// OpenAI.
        OpenAi = "openai",
        /// xAI.
        Xai = "xai",
    }
}

string_enum! {
    /// How much a model thinks before it replies.
    pub enum ThinkingLevel {
        /// No thinking if the model allows it, otherwise the minimum.
        Off = "off",
        /// A little.
        Low = "low",
        /// Enough for most tasks.
        Medium = "medium",
        /// As much as the model considers useful.
        High = "high",
    }
}

string_enum! {
    /// Which parameter makes a model think.
    pub enum ThinkingStyle {
        /// None: the model does not think, or rejects every thinking parameter.
        None = "none",
        /// A number of tokens.
        Budget = "budget",
        /// Anthropic's adaptive thinking with an effort.
        Adaptive = "adaptive",
        /// A level or effort, by name.
        Level = "level",
    }
}

string_enum! {
    /// How thinking is switched off.
    pub enum ThinkingOff {
        /// It cannot be switched off.
        Unavailable = "unavailable",
        /// By sending no thinking parameter.
        Omit = "omit",
        /// By a budget of zero tokens.
        Zero = "zero",
        /// By `type: disabled`.
        Disabled = "disabled",
        /// Only before the first tool call, by `type: between_tools`.
        BetweenTools = "between_tools",
    }
}

string_enum! {
    /// Where thinking between tool calls must be requested with a beta header.
    pub enum InterleavedThinking {
        /// Nowhere: it needs no header or is not offered.
        Never = "never",
        /// At Anthropic; other hosts reject the header.
        Direct = "direct",
        /// At Anthropic and on Vertex AI.
        Everywhere = "everywhere",
    }
}

/// What is known about the models that a pattern matches.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ModelEntry {
    /// A remark for readers of the table. It has no effect.
    pub note: Option<String>,
    /// The vendor whose API parameters the entry describes. Without it the entry applies to every API.
    pub vendor: Option<ModelVendor>,
    /// Maximum number of input and output tokens per call. `context_window` of a provider takes precedence.
    pub context_window: Option<u32>,
    /// Maximum number of tokens in one reply.
    pub max_output_tokens: Option<u32>,
    /// Tokens to allow in one reply where the API requires a number and the provider sets no `max_output_tokens`.
    pub default_output_tokens: Option<u32>,
    /// Whether the API rejects a temperature for this model.
    pub fixed_temperature: Option<bool>,
    /// Whether the API accepts stop sequences for this model. Default: true. If not, replies are cut by TARSy.
    pub stop_sequences: Option<bool>,
    /// Whether the model can call tools. Has no effect yet.
    pub tools: Option<bool>,
    /// Whether the model supports a JSON Schema for its reply. Has no effect yet.
    pub structured_output: Option<bool>,
    /// Tools that the vendor runs.
    pub native_tools: Option<NativeToolSupport>,
    /// Whether the API rejects tool calls of earlier turns without a signature (Gemini 3 and later).
    pub signed_tool_calls: Option<bool>,
    /// How thinking is requested.
    pub thinking: Option<ThinkingSupport>,
    /// Prices. Has no effect yet.
    pub price: Option<ModelPrice>,
}

/// Which of the vendor's own tools a model can use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NativeToolSupport {
    /// Web search.
    pub web_search: bool,
    /// Code execution.
    pub code_execution: bool,
    /// Fetching of pages that the conversation mentions.
    pub url_context: bool,
    /// Whether they can be bound in the same request as other tools.
    pub with_other_tools: bool,
}

/// How a model is made to think.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ThinkingSupport {
    /// Which parameter is sent.
    pub style: ThinkingStyle,
    /// How thinking is switched off. Default: `unavailable`.
    pub off: Option<ThinkingOff>,
    /// The values to send for each configured level, for the style `level`.
    pub levels: Option<LevelValues>,
    /// The numbers of tokens, for the style `budget`.
    pub budget: Option<ThinkingBudgets>,
    /// Whether a model of the style `adaptive` also accepts a number of tokens.
    #[serde(default)]
    pub accepts_budget: bool,
    /// Whether the model returns summaries of its thinking only on request.
    #[serde(default)]
    pub summaries_on_request: bool,
    /// Whether recorded thinking is rejected if the conversation before it has changed.
    #[serde(default)]
    pub bound_to_conversation: bool,
    /// Where thinking between tool calls must be requested. Default: `never`.
    pub interleaved: Option<InterleavedThinking>,
}

/// The vendor's value for each configured thinking level. A level without a value sends no parameter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LevelValues {
    /// For `off`.
    pub off: Option<String>,
    /// For `low`.
    pub low: Option<String>,
    /// For `medium`.
    pub medium: Option<String>,
    /// For `high`.
    pub high: Option<String>,
}

/// Numbers of thinking tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ThinkingBudgets {
    /// The smallest number that the API accepts.
    pub min: Option<u32>,
    /// The largest number that the API accepts. This is also the number for the level `high`, unless `high` is set.
    pub max: Option<u32>,
    /// For the level `low`.
    pub low: Option<u32>,
    /// For the level `medium`.
    pub medium: Option<u32>,
    /// For the level `high`.
    pub high: Option<u32>,
}

/// Prices in US dollars per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ModelPrice {
    /// Tokens read.
    pub input: Option<f64>,
    /// Tokens read from the vendor's cache.
    pub cached_input: Option<f64>,
    /// Tokens written, thinking included.
    pub output: Option<f64>,
}

impl ModelEntry {
    /// Fills the fields that are not set from `other`.
    pub(super) fn or(self, other: &Self) -> Self {
        Self {
            note: self.note.or_else(|| other.note.clone()),
            vendor: self.vendor.or(other.vendor),
            context_window: self.context_window.or(other.context_window),
            max_output_tokens: self.max_output_tokens.or(other.max_output_tokens),
            default_output_tokens: self.default_output_tokens.or(other.default_output_tokens),
            fixed_temperature: self.fixed_temperature.or(other.fixed_temperature),
            stop_sequences: self.stop_sequences.or(other.stop_sequences),
            tools: self.tools.or(other.tools),
            structured_output: self.structured_output.or(other.structured_output),
            native_tools: self.native_tools.or(other.native_tools),
            signed_tool_calls: self.signed_tool_calls.or(other.signed_tool_calls),
            thinking: self.thinking.or_else(|| other.thinking.clone()),
            price: self.price.or(other.price),
        }
    }
}

impl ThinkingSupport {
    /// Returns the value to send for a level, for models of the style `level`.
    pub fn level_value(&self, level: ThinkingLevel) -> Option<&str> {
        let levels = self.levels.as_ref()?;
        let value = match level {
            ThinkingLevel::Off => &levels.off,
            ThinkingLevel::Low => &levels.low,
            ThinkingLevel::Medium => &levels.medium,
            ThinkingLevel::High => &levels.high,
        };
        value.as_deref()
    }

    /// Returns how thinking is switched off.
    pub fn off(&self) -> ThinkingOff {
        self.off.unwrap_or(ThinkingOff::Unavailable)
    }
}

impl ThinkingBudgets {
    /// Fills the numbers that are not set from `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            min: self.min.or(other.min),
            max: self.max.or(other.max),
            low: self.low.or(other.low),
            medium: self.medium.or(other.medium),
            high: self.high.or(other.high),
        }
    }

    /// Returns the number for a level.
    pub fn tokens(self, level: ThinkingLevel) -> Option<u32> {
        match level {
            ThinkingLevel::Off => Some(0),
            ThinkingLevel::Low => self.low,
            ThinkingLevel::Medium => self.medium,
            ThinkingLevel::High => self.high.or(self.max),
        }
    }
}
