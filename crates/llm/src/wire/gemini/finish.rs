//! Finish reasons.

use tarsy_domain::ModelFailureKind;

use crate::ModelError;
use crate::error::provider_bug;

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GeminiFinish {
    /// The model finished, or stopped for an unknown reason.
    Done,
    /// The reply reached its token limit.
    MaxTokens,
}

impl GeminiFinish {
    /// Parses a finish reason. Returns `None` if the reply continues, and an error if it cannot be used.
    pub(super) fn read(reason: &str, message: Option<&str>) -> Result<Option<Self>, ModelError> {
        let details = message.map(|message| format!(": {message}")).unwrap_or_default();
        match reason {
            "" | "FINISH_REASON_UNSPECIFIED" => Ok(None),
            "MAX_TOKENS" => Ok(Some(Self::MaxTokens)),
            "SAFETY"
            | "RECITATION"
            | "LANGUAGE"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "MODEL_ARMOR"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION" => Err(filtered(&format!("Gemini withheld the reply ({reason}){details}"))),
            "MALFORMED_FUNCTION_CALL" => Err(provider_bug(format!(
                "the model wrote a tool call that Gemini cannot read ({reason}){details}"
            ))),
            "UNEXPECTED_TOOL_CALL" => Err(provider_bug(format!(
                "the model called a tool that it was not given ({reason}){details}"
            ))),
            "TOO_MANY_TOOL_CALLS" | "MALFORMED_RESPONSE" | "MISSING_THOUGHT_SIGNATURE" => {
                Err(provider_bug(format!("Gemini gave the reply up ({reason}){details}")))
            }
            _ => Ok(Some(Self::Done)),
        }
    }
}

/// Returns the error for a reply or a conversation that Google blocks.
pub(super) fn filtered(message: &str) -> ModelError {
    ModelError::new(ModelFailureKind::ContentFiltered, message)
}
