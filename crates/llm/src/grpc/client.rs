//! A model behind somebody's model service.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tarsy_domain::{ModelFailureKind, Secret, TokenUsage, causes_of};
use thiserror::Error;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Status, Streaming};

use super::LARGEST_MESSAGE;
use super::contract::llm_service_client::LlmServiceClient;
use super::contract::{GenerateRequest, GenerateResponse, LlmConfig};
use super::convert::{content_in, message_out, tool_out};
use crate::patience::Patience;
use crate::{Chunk, ChunkStream, Model, ModelError, ModelRequest, NativeTools, Origin, Timeouts};

/// How a model service is reached and what it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrpcSettings {
    /// Who answers, as far as we know: the provider's name here, and the model's there.
    pub origin: Origin,
    /// Where the service is, `http://` or `https://`.
    pub address: Secret,
    /// The service's name for the provider.
    pub provider: String,
    /// The variable of the service that holds the key.
    pub api_key_env: String,
    /// How long to wait for what.
    pub timeouts: Timeouts,
}

/// An address that is none.
#[derive(Debug, Error)]
#[error("this is not the address of a model service, such as http://127.0.0.1:50051: {problem}")]
pub struct BadAddress {
    problem: String,
}

/// A model that a service answers for.
pub struct GrpcModel {
    settings: GrpcSettings,
    line: Line,
}

impl GrpcModel {
    /// A model behind a service. The connection is opened with the first call, and kept.
    pub fn new(settings: GrpcSettings) -> Result<Self, BadAddress> {
        let endpoint = endpoint(&settings).map_err(|error| BadAddress { problem: error.to_string() })?;
        Ok(Self { settings, line: Line { endpoint, channel: Arc::default() } })
    }

    fn generate_request(&self, request: &ModelRequest) -> GenerateRequest {
        GenerateRequest {
            session_id: request.tags.session_id.clone(),
            messages: request
                .messages
                .iter()
                .map(|message| message_out(message, &self.settings.origin))
                .collect(),
            llm_config: Some(LlmConfig {
                provider: self.settings.provider.clone(),
                model: self.settings.origin.model.clone(),
                api_key_env: self.settings.api_key_env.clone(),
                native_tools: native_tools_out(request.native_tools),
                ..LlmConfig::default()
            }),
            tools: request.tools.iter().map(|tool| tool_out(tool)).collect(),
            execution_id: request.tags.execution_id.clone(),
            clear_cache: false,
            stage: request.tags.stage.clone(),
            agent: request.tags.agent.clone(),
            turn: request.tags.turn,
        }
    }
}

impl Model for GrpcModel {
    fn origin(&self) -> Origin {
        self.settings.origin.clone()
    }

    fn stream(&self, request: ModelRequest) -> ChunkStream {
        let call = Call {
            stage: Stage::Unsent(Box::new((self.line.clone(), self.generate_request(&request)))),
            timeouts: self.settings.timeouts,
            origin: self.origin(),
            said_something: false,
            text: String::new(),
            usage: TokenUsage::default(),
        };
        let from = stream::iter([Ok(Chunk::From(self.origin()))]);
        let chunks =
            stream::unfold(call, |mut call| async move { call.next().await.map(|chunk| (chunk, call)) });
        from.chain(chunks).boxed()
    }
}

fn endpoint(settings: &GrpcSettings) -> Result<Endpoint, tonic::transport::Error> {
    let endpoint = Endpoint::from_shared(settings.address.expose().to_owned())?
        .connect_timeout(settings.timeouts.connect)
        .http2_keep_alive_interval(Duration::from_secs(30));
    if endpoint.uri().scheme_str() == Some("https") {
        return endpoint.tls_config(ClientTlsConfig::new().with_enabled_roots());
    }
    Ok(endpoint)
}

/// The way to a service. It is opened by the first call, because a channel cannot be made outside of a runtime.
#[derive(Clone)]
struct Line {
    endpoint: Endpoint,
    channel: Arc<OnceLock<Channel>>,
}

impl Line {
    fn client(&self) -> LlmServiceClient<Channel> {
        let channel = self.channel.get_or_init(|| self.endpoint.connect_lazy()).clone();
        LlmServiceClient::new(channel).max_decoding_message_size(LARGEST_MESSAGE)
    }
}

struct Call {
    stage: Stage,
    timeouts: Timeouts,
    origin: Origin,
    /// Whether there was anything an agent can go on with.
    said_something: bool,
    text: String,
    usage: TokenUsage,
}

enum Stage {
    Unsent(Box<(Line, GenerateRequest)>),
    Streaming {
        reply: Box<Streaming<GenerateResponse>>,
        patience: Patience,
    },
    /// The service has said that this was all.
    Complete,
    Ended,
}

impl Call {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        loop {
            let part = match std::mem::replace(&mut self.stage, Stage::Ended) {
                Stage::Unsent(call) => self.send(&call.0, call.1).await.err().map(Err),
                Stage::Streaming { reply, patience } => self.read(reply, patience).await,
                Stage::Complete => self.check_content().err().map(Err),
                Stage::Ended => return None,
            };
            match part {
                Some(Ok(chunk)) => return Some(Ok(self.remember(chunk))),
                Some(Err(error)) => {
                    self.stage = Stage::Ended;
                    return Some(Err(self.with_partial(error)));
                }
                None => {}
            }
        }
    }

    async fn send(&mut self, line: &Line, request: GenerateRequest) -> Result<(), ModelError> {
        let patience = Patience::begin(self.timeouts);
        let sent = patience.wait(line.client().generate(request)).await?;
        let reply = Box::new(sent.map_err(|status| broken(&status))?.into_inner());
        self.stage = Stage::Streaming { reply, patience };
        Ok(())
    }

    /// The next part; nothing if it says nothing.
    async fn read(
        &mut self,
        mut reply: Box<Streaming<GenerateResponse>>,
        mut patience: Patience,
    ) -> Option<Result<Chunk, ModelError>> {
        let response = match patience.wait(reply.message()).await {
            Err(error) => return Some(Err(error)),
            Ok(Err(status)) => return Some(Err(broken(&status))),
            Ok(Ok(None)) => return Some(Err(cut_off())),
            Ok(Ok(Some(response))) => response,
        };
        let part = response.content.and_then(|content| content_in(content, &self.origin));
        if patience.has_begun() || matches!(&part, Some(Ok(chunk)) if chunk.is_part()) {
            patience.renew();
        }
        self.stage = if response.is_final { Stage::Complete } else { Stage::Streaming { reply, patience } };
        part
    }

    fn check_content(&self) -> Result<(), ModelError> {
        if self.said_something {
            return Ok(());
        }
        Err(ModelError::new(ModelFailureKind::EmptyReply, "the model's reply is empty"))
    }

    fn remember(&mut self, chunk: Chunk) -> Chunk {
        self.said_something |= chunk.says_something();
        if let Chunk::Text(text) = &chunk {
            self.text.push_str(text);
        }
        if let Chunk::Usage(usage) = &chunk {
            self.usage = *usage;
        }
        chunk
    }

    fn with_partial(&mut self, mut error: ModelError) -> ModelError {
        error.failure.partial_text = std::mem::take(&mut self.text);
        error.failure.usage = self.usage;
        error
    }
}

fn cut_off() -> ModelError {
    ModelError::new(ModelFailureKind::Network, "the model service's reply was cut off")
}

/// A fault of the transport, as a kind of failure.
fn broken(status: &Status) -> ModelError {
    let kind = match status.code() {
        Code::Unauthenticated | Code::PermissionDenied => ModelFailureKind::Credentials,
        Code::ResourceExhausted => ModelFailureKind::RateLimit,
        Code::DeadlineExceeded => ModelFailureKind::Timeout,
        Code::InvalidArgument
        | Code::NotFound
        | Code::FailedPrecondition
        | Code::OutOfRange
        | Code::Unimplemented => ModelFailureKind::InvalidRequest,
        Code::Unavailable | Code::Aborted | Code::Cancelled | Code::Unknown => ModelFailureKind::Network,
        Code::Internal | Code::DataLoss | Code::AlreadyExists | Code::Ok => ModelFailureKind::ProviderBug,
    };
    ModelError::new(kind, told(status))
}

/// What a status says. Those that were made here, because nobody answered, have a cause.
fn told(status: &Status) -> String {
    match causes_of(status) {
        causes if causes.is_empty() => {
            format!("the model service answered {:?}: {}", status.code(), status.message())
        }
        causes => format!("the connection to the model service failed: {causes}"),
    }
}

fn native_tools_out(tools: NativeTools) -> HashMap<String, bool> {
    HashMap::from([
        ("google_search".to_owned(), tools.google_search),
        ("code_execution".to_owned(), tools.code_execution),
        ("url_context".to_owned(), tools.url_context),
    ])
}
