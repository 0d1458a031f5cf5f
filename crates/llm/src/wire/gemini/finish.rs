//! What a finish reason means.

use tarsy_domain::ModelFailureKind;

use crate::ModelError;
use crate::error::provider_bug;

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    /// The model was done, or stopped for a reason that is not known here.
    Done,
    /// It may not write more.
    MaxTokens,
}

impl Finish {
    /// Reads a reason; nothing if it says that there is none yet, an error if the reply cannot be used.
    pub(super) fn read(reason: &str, message: Option<&str>) -> Result<Option<Self>, ModelError> {
        let said = message.map(|message| format!(": {message}")).unwrap_or_default();
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
            | "IMAGE_RECITATION" => Err(filtered(&format!("Gemini withheld the reply ({reason}){said}"))),
            "MALFORMED_FUNCTION_CALL" => Err(provider_bug(format!(
                "the model wrote a tool call that Gemini cannot read ({reason}){said}"
            ))),
            "UNEXPECTED_TOOL_CALL" => {
                Err(provider_bug(format!("the model called a tool that it was not given ({reason}){said}")))
            }
            "TOO_MANY_TOOL_CALLS" | "MALFORMED_RESPONSE" | "MISSING_THOUGHT_SIGNATURE" => {
                Err(provider_bug(format!("Gemini gave the reply up ({reason}){said}")))
            }
            _ => Ok(Some(Self::Done)),
        }
    }
}

/// A reply or a conversation that Google does not let through.
pub(super) fn filtered(message: &str) -> ModelError {
    ModelError::new(ModelFailureKind::ContentFiltered, message)
}
