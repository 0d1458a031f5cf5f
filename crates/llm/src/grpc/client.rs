//! A model of a remote model service.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tarsy_domain::{ModelFailureKind, Secret, causes_of};
use thiserror::Error;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Status, Streaming};

use super::MAX_MESSAGE_BYTES;
use super::contract::llm_service_client::LlmServiceClient;
use super::contract::{GenerateRequest, GenerateResponse, LlmConfig};
use super::convert::{content_in, message_out, tool_out};
use crate::deadlines::CallDeadlines;
use crate::partial_reply::PartialReply;
use crate::{Chunk, ChunkStream, Model, ModelError, ModelRequest, NativeTools, Origin, Timeouts};

/// How to reach a model service, and which model to select there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrpcSettings {
    /// The name of the provider here, and of the model at the service.
    pub origin: Origin,
    /// The address of the service, `http://` or `https://`.
    pub address: Secret,
    /// What the service needs to select and call the model.
    pub remote: RemoteModel,
    /// Timeouts.
    pub timeouts: Timeouts,
}

/// The model that a service calls, as the protocol describes it. Empty fields are left to the service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteModel {
    /// The service's name for the provider.
    pub provider: String,
    /// The environment variable of the service that contains the key.
    pub api_key_env: String,
    /// The environment variable of the service that contains the path of Google credentials.
    pub credentials_env: String,
    /// The base URL of the vendor's API.
    pub base_url: Option<Secret>,
    /// The Google Cloud project.
    pub project: String,
    /// The Google Cloud location.
    pub location: String,
    /// The library that calls the model: a backend name of the protocol.
    pub backend: String,
}

/// An invalid address of a model service.
#[derive(Debug, Error)]
#[error(
    "the address of the model service is invalid, expected one such as http://127.0.0.1:50051: {problem}"
)]
pub struct InvalidServiceAddress {
    problem: String,
}

/// A model of a model service.
pub struct GrpcModel {
    settings: GrpcSettings,
    channel: LazyChannel,
}

impl GrpcModel {
    /// Creates a model. The connection is opened by the first call, and kept.
    pub fn new(settings: GrpcSettings) -> Result<Self, InvalidServiceAddress> {
        let endpoint =
            endpoint(&settings).map_err(|error| InvalidServiceAddress { problem: error.to_string() })?;
        Ok(Self { settings, channel: LazyChannel { endpoint, channel: Arc::default() } })
    }

    fn generate_request(&self, request: &ModelRequest) -> GenerateRequest {
        GenerateRequest {
            session_id: request.tags.session_id.clone(),
            messages: request
                .messages
                .iter()
                .map(|message| message_out(message, &self.settings.origin))
                .collect(),
            llm_config: Some(self.llm_config(request.native_tools)),
            tools: request.tools.iter().map(|tool| tool_out(tool)).collect(),
            execution_id: request.tags.execution_id.clone(),
            clear_cache: false,
            stage: request.tags.stage.clone(),
            agent: request.tags.agent.clone(),
            turn: request.tags.turn,
        }
    }

    fn llm_config(&self, native_tools: NativeTools) -> LlmConfig {
        let remote = &self.settings.remote;
        LlmConfig {
            provider: remote.provider.clone(),
            model: self.settings.origin.model.clone(),
            api_key_env: remote.api_key_env.clone(),
            credentials_env: remote.credentials_env.clone(),
            base_url: remote.base_url.as_ref().map(|url| url.expose().to_owned()).unwrap_or_default(),
            native_tools: native_tools_out(native_tools),
            project: remote.project.clone(),
            location: remote.location.clone(),
            backend: remote.backend.clone(),
        }
    }
}

impl Model for GrpcModel {
    fn origin(&self) -> Origin {
        self.settings.origin.clone()
    }

    fn stream(&self, request: ModelRequest) -> ChunkStream {
        let call = GrpcCall {
            state: GrpcCallState::Unsent(Box::new((self.channel.clone(), self.generate_request(&request)))),
            timeouts: self.settings.timeouts,
            origin: self.origin(),
            emitted: PartialReply::default(),
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
        .tcp_keepalive(Some(Duration::from_secs(30)))
        .http2_keep_alive_interval(Duration::from_secs(30));
    if endpoint.uri().scheme_str() == Some("https") {
        return endpoint.tls_config(ClientTlsConfig::new().with_enabled_roots());
    }
    Ok(endpoint)
}

/// A channel that the first call opens, because a channel cannot be created outside of a runtime.
#[derive(Clone)]
struct LazyChannel {
    endpoint: Endpoint,
    channel: Arc<OnceLock<Channel>>,
}

impl LazyChannel {
    fn client(&self) -> LlmServiceClient<Channel> {
        let channel = self.channel.get_or_init(|| self.endpoint.connect_lazy()).clone();
        LlmServiceClient::new(channel).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }
}

/// A call in flight.
struct GrpcCall {
    state: GrpcCallState,
    timeouts: Timeouts,
    origin: Origin,
    emitted: PartialReply,
}

enum GrpcCallState {
    Unsent(Box<(LazyChannel, GenerateRequest)>),
    Streaming {
        reply: Box<Streaming<GenerateResponse>>,
        deadlines: CallDeadlines,
    },
    /// The service has marked the reply as complete.
    Complete,
    Ended,
}

impl GrpcCall {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        loop {
            let part = match std::mem::replace(&mut self.state, GrpcCallState::Ended) {
                GrpcCallState::Unsent(call) => self.send(&call.0, call.1).await.err().map(Err),
                GrpcCallState::Streaming { reply, deadlines } => self.read(reply, deadlines).await,
                GrpcCallState::Complete => self.check_content().err().map(Err),
                GrpcCallState::Ended => return None,
            };
            match part {
                Some(Ok(chunk)) => {
                    self.emitted.add(&chunk);
                    return Some(Ok(chunk));
                }
                Some(Err(error)) => {
                    self.state = GrpcCallState::Ended;
                    return Some(Err(self.emitted.attach_to(error)));
                }
                None => {}
            }
        }
    }

    async fn send(&mut self, channel: &LazyChannel, request: GenerateRequest) -> Result<(), ModelError> {
        let deadlines = CallDeadlines::start(self.timeouts);
        let sent = deadlines.wait(channel.client().generate(request)).await?;
        let reply = Box::new(sent.map_err(|status| status_error(&status))?.into_inner());
        self.state = GrpcCallState::Streaming { reply, deadlines };
        Ok(())
    }

    /// Returns the next chunk; `None` for a message without known content.
    async fn read(
        &mut self,
        mut reply: Box<Streaming<GenerateResponse>>,
        mut deadlines: CallDeadlines,
    ) -> Option<Result<Chunk, ModelError>> {
        let response = match deadlines.wait(reply.message()).await {
            Err(error) => return Some(Err(error)),
            Ok(Err(status)) => return Some(Err(status_error(&status))),
            Ok(Ok(None)) => return Some(Err(cut_off())),
            Ok(Ok(Some(response))) => response,
        };
        let part = response.content.and_then(|content| content_in(content, &self.origin));
        if deadlines.has_started() || matches!(&part, Some(Ok(chunk)) if chunk.is_part()) {
            deadlines.renew();
        }
        self.state = if response.is_final {
            GrpcCallState::Complete
        } else {
            GrpcCallState::Streaming { reply, deadlines }
        };
        part
    }

    fn check_content(&self) -> Result<(), ModelError> {
        if self.emitted.has_content() {
            return Ok(());
        }
        Err(ModelError::new(ModelFailureKind::EmptyReply, "the model's reply is empty"))
    }
}

fn cut_off() -> ModelError {
    ModelError::new(ModelFailureKind::Network, "the model service's reply was cut off")
}

/// Returns the error for a failed call.
fn status_error(status: &Status) -> ModelError {
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
    ModelError::new(kind, describe(status))
}

/// Describes a status. A status that the client created because the connection failed has a cause.
fn describe(status: &Status) -> String {
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
