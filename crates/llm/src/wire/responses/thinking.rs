//! The reasoning parameters of a request.

use serde::Serialize;
use tarsy_domain::ModelTraits;
use tracing::debug;

use crate::Settings;
use crate::wire::openai::effort;

/// The `reasoning` parameter.
#[derive(Debug, Serialize)]
pub(super) struct ReasoningOptions {
    effort: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'static str>,
}

/// Returns the parameter, if it is sent.
pub(super) fn reasoning(settings: &Settings, traits: &ModelTraits) -> Option<ReasoningOptions> {
    if settings.thinking.budget_tokens.is_some() {
        debug!("OpenAI's models take an effort, not a thinking budget; the budget is not sent");
    }
    let effort = effort(traits, settings.thinking.level)?;
    let summary = (effort != "none").then_some("auto");
    Some(ReasoningOptions { effort, summary })
}
