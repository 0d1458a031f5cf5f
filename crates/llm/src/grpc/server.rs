//! Our models, for everybody who speaks the contract.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::{Stream, StreamExt, stream};
use tarsy_domain::ModelFailureKind;
use tonic::{Request, Response, Status};

use super::LARGEST_MESSAGE;
use super::contract::generate_response::Content;
use super::contract::llm_service_server::{LlmService, LlmServiceServer};
use super::contract::{ErrorInfo, GenerateRequest, GenerateResponse, LlmConfig};
use super::convert::{chunk_out, error_out, message_in, tool_in};
use super::memory::Memory;
use crate::{Assembly, Chunk, ChunkStream, Model, ModelError, ModelRequest, NativeTools, Tags};

/// The backends of the contract.
const BACKENDS: [&str; 2] = ["google-native", "langchain"];

/// The model that a client asks for, in its own words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// A vendor, or the name of a configured provider.
    pub provider: String,
    /// The model; the provider's own if it is empty.
    pub model: String,
    /// The variable that holds the key; the provider's own if it is empty.
    pub api_key_env: String,
    /// Where the vendor is; the provider's own place if it is empty.
    pub base_url: String,
    /// The variable that holds Google's credentials; the provider's own if it is empty.
    pub credentials_env: String,
    /// The project at Google; the provider's own if it is empty.
    pub project: String,
    /// Where the model runs at Google; the provider's own if it is empty.
    pub location: String,
    /// Which of its libraries a service is to use, for those that have several: one of the contract's names, or empty.
    pub backend: String,
}

/// Why a client does not get the model it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(pub String);

type Choose = dyn Fn(&Asked) -> Result<Arc<dyn Model>, Refused> + Send + Sync;

/// The service: it answers with whatever model `choose` gives for a request.
pub struct ModelService {
    choose: Box<Choose>,
    memory: Arc<Memory>,
}

impl ModelService {
    /// A service whose models are chosen by `choose`, which decides what a client may ask for. The models make their
    /// own further attempts: clients are told that there is no use in theirs.
    pub fn new(choose: impl Fn(&Asked) -> Result<Arc<dyn Model>, Refused> + Send + Sync + 'static) -> Self {
        Self { choose: Box::new(choose), memory: Arc::new(Memory::new()) }
    }

    /// The service as a server can run it.
    pub fn into_server(self) -> LlmServiceServer<impl LlmService> {
        LlmServiceServer::new(self).max_decoding_message_size(LARGEST_MESSAGE)
    }

    fn answer(&self, request: GenerateRequest) -> Result<Answer, ErrorInfo> {
        let config = request.llm_config.clone().unwrap_or_default();
        check_backend(&config.backend)?;
        let model = (self.choose)(&asked(&config)).map_err(|Refused(why)| invalid(why))?;
        let execution_id = request.execution_id.clone();
        if request.clear_cache {
            self.memory.forget(&execution_id);
        }
        let mut request = model_request(request, &config).map_err(invalid)?;
        self.memory.recall(&execution_id, &mut request.messages);
        let reply = model.stream(request.clone());
        Ok(Answer {
            reply,
            request,
            execution_id,
            memory: Arc::clone(&self.memory),
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

    /// Dropping the stream, which is what a cancelled call comes to, ends the request to the vendor.
    async fn generate(
        &self,
        request: Request<GenerateRequest>,
    ) -> Result<Response<Self::GenerateStream>, Status> {
        let responses = match self.answer(request.into_inner()) {
            Ok(answer) => stream::unfold(answer, |mut answer| async move {
                answer.next().await.map(|response| (Ok(response), answer))
            })
            .boxed(),
            Err(error) => stream::iter([Ok(last_error(error))]).boxed(),
        };
        Ok(Response::new(responses))
    }
}

/// A reply on its way to a client.
struct Answer {
    reply: ChunkStream,
    request: ModelRequest,
    execution_id: String,
    memory: Arc<Memory>,
    assembly: Assembly,
    /// What the reply has cost so far. Vendors say it early and again; the contract wants it said last.
    usage: Option<Chunk>,
    /// What can go to the client.
    ready: VecDeque<GenerateResponse>,
    ended: bool,
}

impl Answer {
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
                self.take(chunk);
            }
            Some(Err(error)) => self.end(last_error(error_out(&error))),
            None => {
                self.memory.remember(&self.execution_id, &self.request.messages, &self.assembly.reply);
                self.end(GenerateResponse { content: None, is_final: true });
            }
        }
    }

    fn take(&mut self, chunk: Chunk) {
        match chunk {
            Chunk::Usage(_) => self.usage = Some(chunk),
            Chunk::State(_) => {
                self.tell_usage();
                self.ready.push_back(chunk_out(chunk));
            }
            Chunk::From(_)
            | Chunk::Fallback { .. }
            | Chunk::Text(_)
            | Chunk::Thinking(_)
            | Chunk::ToolCall(_)
            | Chunk::CodeExecution(_)
            | Chunk::Grounding(_) => self.ready.push_back(chunk_out(chunk)),
        }
    }

    fn end(&mut self, last: GenerateResponse) {
        self.tell_usage();
        self.ready.push_back(last);
        self.ended = true;
    }

    fn tell_usage(&mut self) {
        self.ready.extend(self.usage.take().map(chunk_out));
    }
}

fn asked(config: &LlmConfig) -> Asked {
    Asked {
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
