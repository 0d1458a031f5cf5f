//! The body of a request.
//!
//! Places in it are marked for the vendor's cache: the tools, the instructions and the last two things said to the
//! model. So a turn of a long loop pays only for what is new in it. Four marks are the most that is allowed.

use serde::Serialize;
use serde_json::Value;
use tarsy_domain::ModelFailureKind;

use super::endpoint::Route;
use super::messages::{Conversation, TextBlock, Turn};
use super::thinking::{Behaviour, ThinkingConfig};
use super::tools::{ToolChoice, Tools};
use super::traits::{Interleaving, traits};
use crate::{ModelError, ModelRequest, Settings};

const VERTEX_VERSION: &str = "vertex-2023-10-16";
const INTERLEAVED_THINKING: &str = "interleaved-thinking-2025-05-14";
const BINDING_CONTROLS: &str = "thinking-binding-controls-2026-08-01";

/// The body, and what must be said about it in the header.
#[derive(Debug, Serialize)]
pub(super) struct Body {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    anthropic_version: Option<&'static str>,
    stream: bool,
    #[serde(flatten)]
    behaviour: Behaviour,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<ToolChoice>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<TextBlock>,
    messages: Vec<Turn>,
    /// Features that this body asks for and that must be named in the header.
    #[serde(skip)]
    betas: Vec<&'static str>,
}

impl Body {
    /// Writes a conversation down in the vendor's way.
    pub(super) fn new(
        route: &Route,
        settings: &Settings,
        request: &ModelRequest,
    ) -> Result<Self, ModelError> {
        let traits = traits(&settings.origin.model);
        let conversation = Conversation::new(request, &settings.origin);
        if conversation.turns.is_empty() {
            let message = "the conversation holds nothing for the model to answer; a user message is needed";
            return Err(ModelError::new(ModelFailureKind::InvalidRequest, message));
        }
        let behaviour = Behaviour::choose(settings, &traits, conversation.continuation())?;
        let tools = Tools::new(request);
        let mut betas = tools.betas;
        betas.extend(thinking_betas(route, &behaviour, traits.interleaving));
        let model = settings.origin.model.clone();
        let (model, anthropic_version) = match route {
            Route::Direct => (Some(model), None),
            Route::Vertex { .. } => (None, Some(VERTEX_VERSION)),
        };
        Ok(Self {
            model,
            anthropic_version,
            stream: true,
            behaviour,
            tools: tools.definitions,
            tool_choice: tools.choice,
            system: conversation.system,
            messages: conversation.turns,
            betas,
        })
    }

    /// The features to name in the header.
    pub(super) fn betas(&self) -> Vec<&'static str> {
        self.betas.clone()
    }
}

/// Google refuses a request that names a feature which the model does not have there; Anthropic does not mind.
fn thinking_betas(route: &Route, behaviour: &Behaviour, interleaving: Interleaving) -> Option<&'static str> {
    match &behaviour.thinking {
        Some(ThinkingConfig::Enabled { .. }) => match (interleaving, route) {
            (Interleaving::Direct, Route::Direct) | (Interleaving::Everywhere, _) => {
                Some(INTERLEAVED_THINKING)
            }
            (Interleaving::Unasked, _) | (Interleaving::Direct, Route::Vertex { .. }) => None,
        },
        Some(ThinkingConfig::Adaptive { block_binding: Some(_), .. }) => Some(BINDING_CONTROLS),
        Some(
            ThinkingConfig::Adaptive { block_binding: None, .. }
            | ThinkingConfig::BetweenTools
            | ThinkingConfig::Disabled,
        )
        | None => None,
    }
}
