//! A model service: serves our models to clients of the protocol.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::{Stream, StreamExt, stream};
use tarsy_domain::ModelFailureKind;
use tonic::{Request, Response, Status};

use super::MAX_MESSAGE_BYTES;
use super::contract::generate_response::Content;
use super::contract::llm_service_server::{LlmService, LlmServiceServer};
use super::contract::{ErrorInfo, GenerateRequest, GenerateResponse, LlmConfig};
use super::convert::{chunk_out, error_out, message_in, tool_in};
use super::state_cache::StateCache;
use crate::{Assembly, Chunk, ChunkStream, Model, ModelError, ModelRequest, NativeTools, Tags};

/// The backends of the protocol.
const BACKENDS: [&str; 2] = ["google-native", "langchain"];

/// The model that a client selects. An empty field means the default of the provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelSelection {
    /// A vendor, or the name of a configured provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// The environment variable that contains the key.
    pub api_key_env: String,
    /// The base URL.
    pub base_url: String,
    /// The environment variable that contains the path of Google credentials.
    pub credentials_env: String,
    /// The Google Cloud project.
    pub project: String,
    /// The Google Cloud location.
    pub location: String,
    /// The library to use, if the service has several: a backend name of the protocol, or empty.
    pub backend: String,
}

/// Why a selected model is not available.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectionError(pub String);

type Choose = dyn Fn(&ModelSelection) -> Result<Arc<dyn Model>, SelectionError> + Send + Sync;

/// The service; `choose` selects the model of a request.
pub struct ModelService {
    choose: Box<Choose>,
    states: Arc<StateCache>,
}

impl ModelService {
    /// Creates a service. `choose` decides which models clients may use. A failure that they have retried
    /// themselves is reported as not retryable.
    pub fn new(
        choose: impl Fn(&ModelSelection) -> Result<Arc<dyn Model>, SelectionError> + Send + Sync + 'static,
    ) -> Self {
        Self { choose: Box::new(choose), states: Arc::new(StateCache::new()) }
    }

    /// Returns the service as a gRPC server.
    pub fn into_server(self) -> LlmServiceServer<impl LlmService> {
        LlmServiceServer::new(self).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    fn reply(&self, request: GenerateRequest) -> Result<ReplyStream, ErrorInfo> {
        let config = request.llm_config.clone().unwrap_or_default();
        check_backend(&config.backend)?;
        let model = (self.choose)(&selection(&config)).map_err(|SelectionError(reason)| invalid(reason))?;
        let execution_id = request.execution_id.clone();
        if request.clear_cache {
            self.states.clear(&execution_id);
        }
        let mut request = model_request(request, &config).map_err(invalid)?;
        self.states.restore(&execution_id, &mut request.messages);
        let reply = model.stream(request.clone());
        Ok(ReplyStream {
            reply,
            request,
            execution_id,
            states: Arc::clone(&self.states),
            assembly: Assembly::default(),
            usage: None,
            ready: VecDeque::new(),
            ended: false,
        })
    }
}

#[tonic::async_trait]
impl LlmService for ModelService {
    type GenerateStream = Pin<Box<dyn Stream<Item = Result<GenerateResponse, Status>> + Send>>;

    /// Streams the reply of the selected model. A cancelled call drops the stream, which cancels the request
    /// to the vendor.
    async fn generate(
        &self,
        request: Request<GenerateRequest>,
    ) -> Result<Response<Self::GenerateStream>, Status> {
        let responses = match self.reply(request.into_inner()) {
            Ok(reply) => stream::unfold(reply, |mut reply| async move {
                reply.next().await.map(|response| (Ok(response), reply))
            })
            .boxed(),
            Err(error) => stream::iter([Ok(last_error(error))]).boxed(),
        };
        Ok(Response::new(responses))
    }
}

/// A reply that is being sent to a client.
struct ReplyStream {
    reply: ChunkStream,
    request: ModelRequest,
    execution_id: String,
    states: Arc<StateCache>,
    assembly: Assembly,
    /// Usage so far. Vendors report it several times; the protocol requires it at the end.
    usage: Option<Chunk>,
    /// Responses that have not been sent yet.
    ready: VecDeque<GenerateResponse>,
    ended: bool,
}

impl ReplyStream {
    async fn next(&mut self) -> Option<GenerateResponse> {
        while self.ready.is_empty() && !self.ended {
            self.advance().await;
        }
        self.ready.pop_front()
    }

    async fn advance(&mut self) {
        match self.reply.next().await {
            Some(Ok(chunk)) => {
                self.assembly.add(chunk.clone());
                self.add(chunk);
            }
            Some(Err(error)) => self.end(last_error(error_out(&error))),
            None => {
                self.states.insert(&self.execution_id, &self.request.messages, &self.assembly.reply);
                self.end(GenerateResponse { content: None, is_final: true });
            }
        }
    }

    fn add(&mut self, chunk: Chunk) {
        match chunk {
            Chunk::Usage(_) => self.usage = Some(chunk),
            Chunk::State(_) => {
                self.send_usage();
                self.ready.push_back(chunk_out(chunk));
            }
            Chunk::From(_)
            | Chunk::Fallback { .. }
            | Chunk::Text(_)
            | Chunk::Thinking(_)
            | Chunk::ToolCall(_)
            | Chunk::CodeExecution(_)
            | Chunk::Grounding(_)
            | Chunk::CutOff => self.ready.push_back(chunk_out(chunk)),
        }
    }

    fn end(&mut self, last: GenerateResponse) {
        self.send_usage();
        self.ready.push_back(last);
        self.ended = true;
    }

    fn send_usage(&mut self) {
        self.ready.extend(self.usage.take().map(chunk_out));
    }
}

fn selection(config: &LlmConfig) -> ModelSelection {
    ModelSelection {
        provider: config.provider.clone(),
        model: config.model.clone(),
        api_key_env: config.api_key_env.clone(),
        base_url: config.base_url.clone(),
        credentials_env: config.credentials_env.clone(),
        project: config.project.clone(),
        location: config.location.clone(),
        backend: config.backend.clone(),
    }
}

fn model_request(request: GenerateRequest, config: &LlmConfig) -> Result<ModelRequest, String> {
    let on = |name: &str| config.native_tools.get(name).copied().unwrap_or(false);
    let messages: Vec<_> = request.messages.into_iter().map(message_in).collect::<Result<_, _>>()?;
    if messages.is_empty() {
        return Err("the request has no messages".to_owned());
    }
    Ok(ModelRequest {
        stop_sequences: &[],
        messages,
        tools: request
            .tools
            .into_iter()
            .map(|tool| tool_in(tool).map(Arc::new))
            .collect::<Result<Vec<_>, _>>()?
            .into(),
        native_tools: NativeTools {
            google_search: on("google_search"),
            code_execution: on("code_execution"),
            url_context: on("url_context"),
        },
        tags: Tags {
            session_id: request.session_id,
            execution_id: request.execution_id,
            stage: request.stage,
            agent: request.agent,
            turn: request.turn,
            question: None,
        },
    })
}

fn last_error(error: ErrorInfo) -> GenerateResponse {
    GenerateResponse { content: Some(Content::Error(error)), is_final: true }
}

fn check_backend(backend: &str) -> Result<(), ErrorInfo> {
    if backend.is_empty() || BACKENDS.contains(&backend) {
        return Ok(());
    }
    let problem = format!("there is no backend `{backend}`, only: {}", BACKENDS.join(", "));
    Err(ErrorInfo { code: "invalid_backend".to_owned(), ..invalid(problem) })
}

fn invalid(problem: String) -> ErrorInfo {
    error_out(&ModelError::new(ModelFailureKind::InvalidRequest, problem))
}
