//! The tools of a request, ours and Google's own.

use serde_json::{Map, Value, json};
use tarsy_domain::ToolDefinition;
use tracing::warn;

use super::endpoint::Endpoint;
use super::family::Family;
use super::schema::parameters;
use crate::names::wire_name;
use crate::{ModelRequest, NativeTools};

/// The part of a request that is about tools.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Tools {
    /// The tools to bind.
    pub(super) tools: Vec<Value>,
    /// How they may be used, where that must be said.
    pub(super) config: Option<Value>,
}

impl Tools {
    /// What a model at an endpoint is given.
    pub(super) fn new(endpoint: &Endpoint, model: &str, request: &ModelRequest) -> Self {
        let mut tools = Vec::new();
        if !request.tools.is_empty() {
            let declarations: Vec<_> = request.tools.iter().map(|tool| declaration(tool)).collect();
            tools.push(json!({ "functionDeclarations": declarations }));
        }
        let native = native_tools(model, request);
        let NativeTools { google_search, code_execution, url_context } = native;
        let names =
            [("googleSearch", google_search), ("urlContext", url_context), ("codeExecution", code_execution)];
        tools.extend(names.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| json!({ name: {} })));
        let are_mixed = !request.tools.is_empty() && native.any();
        Self { tools, config: are_mixed.then(|| mixed_config(endpoint)).flatten() }
    }
}

/// What AI Studio must be told when both kinds are bound; Vertex AI does not know the field and refuses it.
fn mixed_config(endpoint: &Endpoint) -> Option<Value> {
    match endpoint {
        Endpoint::Studio => Some(json!({ "includeServerSideToolInvocations": true })),
        Endpoint::Vertex { .. } => None,
    }
}

/// Google's tools, as far as the model can have them beside ours: before Gemini 3 it is one kind or the other.
fn native_tools(model: &str, request: &ModelRequest) -> NativeTools {
    let wanted = request.native_tools;
    if !wanted.any() || request.tools.is_empty() || Family::of(model).is_at_least(3, 0) {
        return wanted;
    }
    warn!(model, ?wanted, "the model cannot use Google's tools beside others, so they are left out");
    NativeTools::default()
}

fn declaration(tool: &ToolDefinition) -> Value {
    let mut declaration = Map::new();
    declaration.insert("name".to_owned(), wire_name(&tool.name).into());
    if !tool.description.is_empty() {
        declaration.insert("description".to_owned(), tool.description.clone().into());
    }
    if let Some(schema) = parameters(&tool.name, &tool.input_schema) {
        declaration.insert("parametersJsonSchema".to_owned(), schema);
    }
    Value::Object(declaration)
}
