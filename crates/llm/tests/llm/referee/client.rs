//! Our client in one scenario, with its own model name and key, and with production retries.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tarsy_domain::{Message, ModelCatalog, Secret, ToolDefinition};
use tarsy_llm::{
    Assembly, Model, ModelError, ModelRequest, NativeTools, Origin, RetryPolicy, Retrying, Settings, Tags,
    Thinking, Timeouts, collect,
};
use url::Url;

use super::wire::Wire;

/// Long enough for a busy machine, and shorter than every injected stall.
const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(5),
    first_chunk: Duration::from_secs(5),
    stall: Duration::from_secs(2),
    total: Duration::from_secs(30),
};
/// A policy with short delays; `Retry-After` is respected.
const POLICY: RetryPolicy = RetryPolicy {
    max_attempts: 4,
    initial_pause: Duration::from_millis(200),
    empty_reply_pause: Duration::from_millis(200),
    max_pause: Duration::from_secs(90),
    factor: 2.0,
    jitter: true,
    total_time: None,
};

/// The client of one scenario.
pub(crate) struct ScenarioClient {
    model: Retrying,
    /// The prompt, unique per scenario so that the server can distinguish them.
    question: String,
}

impl ScenarioClient {
    pub(crate) fn new(wire: Wire, server: &Url, scenario: &str) -> Self {
        Self::with_budget(wire, server, scenario, 500)
    }

    /// Like [`Self::new`], with an output limit.
    pub(crate) fn with_budget(wire: Wire, server: &Url, scenario: &str, tokens: u32) -> Self {
        let settings = Settings {
            origin: Origin { provider: "referee".to_owned(), model: name(wire, scenario) },
            base_url: server.join(wire.path()).unwrap(),
            api_key: Some(Secret::new(format!("key-{scenario}"))),
            temperature: None,
            max_output_tokens: Some(tokens),
            thinking: Thinking::default(),
            timeouts: TIMEOUTS,
            models: ModelCatalog::default(),
            verify_tls: true,
        };
        let model = Retrying::new(wire.vendor().model(settings).unwrap(), POLICY);
        Self { model, question: format!("Tell me about {scenario}.") }
    }

    /// Sends the prompt.
    pub(crate) async fn ask(&self) -> Result<Assembly, ModelError> {
        self.send([Message::user(self.question.clone())], &[]).await
    }

    /// Sends another prompt.
    pub(crate) async fn ask_about(&self, question: String) -> Result<Assembly, ModelError> {
        self.send([Message::user(question)], &[]).await
    }

    /// Sends the prompt with tools.
    pub(crate) async fn ask_with_tools(&self) -> Result<Assembly, ModelError> {
        self.send([Message::user(self.question.clone())], &tools()).await
    }

    /// Sends the results of the calls in a reply.
    pub(crate) async fn send_results(&self, reply: &Assembly) -> Result<Assembly, ModelError> {
        let said = reply.reply.clone();
        let results: Vec<_> =
            said.tool_calls.iter().map(|call| Message::tool(call, "three of them fail")).collect();
        let said = Message {
            tool_calls: said.tool_calls,
            provider_state: said.provider_state,
            ..Message::assistant(said.text)
        };
        let asked = Message::user(self.question.clone());
        self.send([asked, said].into_iter().chain(results), &tools()).await
    }

    async fn send(
        &self,
        messages: impl IntoIterator<Item = Message>,
        tools: &[ToolDefinition],
    ) -> Result<Assembly, ModelError> {
        let messages = [Message::system("Be brief.")].into_iter().chain(messages);
        let request = ModelRequest {
            stop_sequences: &[],
            messages: messages.map(Arc::new).collect(),
            tools: tools.iter().cloned().map(Arc::new).collect(),
            native_tools: NativeTools::default(),
            tags: Tags::default(),
        };
        collect(self.model.stream(request)).await
    }
}

/// Returns the model name of a scenario.
pub(crate) fn name(wire: Wire, scenario: &str) -> String {
    format!("{}-{scenario}", wire.model())
}

fn tools() -> Vec<ToolDefinition> {
    let schema = json!({"type": "object", "required": ["namespace", "limit"], "properties": {
        "namespace": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}}});
    let tool = |name: &str| ToolDefinition {
        name: name.to_owned(),
        description: format!("Calls {name}."),
        input_schema: schema.clone(),
    };
    vec![tool("k8s.pods_list"), tool("k8s.pods_log")]
}
