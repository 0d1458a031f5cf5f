//! The tools of a request: bound tools and Google's own.

use serde_json::{Map, Value, json};
use tarsy_domain::{NativeToolSupport, ToolDefinition};
use tracing::warn;

use super::endpoint::GeminiEndpoint;
use super::schema::parameters;
use crate::names::wire_name;
use crate::{ModelRequest, NativeTools};

/// The tool parameters of a request.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Tools {
    /// The `tools` parameter.
    pub(super) tools: Vec<Value>,
    /// The `toolConfig` parameter.
    pub(super) config: Option<Value>,
}

impl Tools {
    /// Encodes the tools of a request.
    pub(super) fn new(
        endpoint: &GeminiEndpoint,
        supported: NativeToolSupport,
        request: &ModelRequest,
    ) -> Self {
        let mut tools = Vec::new();
        if !request.tools.is_empty() {
            let declarations: Vec<_> = request.tools.iter().map(|tool| declaration(tool)).collect();
            tools.push(json!({ "functionDeclarations": declarations }));
        }
        let native = native_tools(supported, request);
        let NativeTools { google_search, code_execution, url_context } = native;
        let names =
            [("googleSearch", google_search), ("urlContext", url_context), ("codeExecution", code_execution)];
        tools.extend(names.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| json!({ name: {} })));
        let are_mixed = !request.tools.is_empty() && native.any();
        Self { tools, config: are_mixed.then(|| mixed_config(endpoint)).flatten() }
    }
}

/// Returns the parameter that AI Studio requires when both kinds are bound. Vertex AI rejects it.
fn mixed_config(endpoint: &GeminiEndpoint) -> Option<Value> {
    match endpoint {
        GeminiEndpoint::Studio => Some(json!({ "includeServerSideToolInvocations": true })),
        GeminiEndpoint::Vertex { .. } => None,
    }
}

/// Returns the native tools to bind. Models before Gemini 3 cannot have them together with other tools.
fn native_tools(supported: NativeToolSupport, request: &ModelRequest) -> NativeTools {
    let wanted = request.native_tools;
    if !wanted.any() || request.tools.is_empty() || supported.with_other_tools {
        return wanted;
    }
    warn!(?wanted, "the model cannot combine Google's tools with others; Google's tools are not bound");
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
