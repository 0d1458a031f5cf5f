//! One tool call, from validated arguments to the text of its result.

use std::time::Duration;

use futures_util::FutureExt;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, InputRequiredResult, JsonObject,
    ServerResult,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient, ServiceError};
use tarsy_domain::{TokenUsage, ToolCall, ToolResult, ToolStatus};
use tokio::sync::oneshot::error::RecvError;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::debug;

use crate::arguments::parameters_of;
use crate::client::respond_to_input;
use crate::connection::LiveConnection;
use crate::content::ContentWriter;
use crate::error::CallError;
use crate::server::Server;
use crate::{Screen, ToolInfo};

/// Timeout of sending a cancellation notice.
const CANCEL_TIMEOUT: Duration = Duration::from_millis(200);

/// Maximum wait for a server to reconnect during a call.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of requests of one call to a server that requires input.
const MAX_ROUNDS: usize = 8;

/// Progress of a call in flight.
#[derive(Debug, Clone, PartialEq)]
pub struct CallProgress {
    /// Completed units.
    pub done: f64,
    /// Total units, if known.
    pub total: Option<f64>,
    /// Description of the current activity.
    pub message: Option<String>,
}

/// The caller cancelled the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the tool call was cancelled")]
pub struct Cancelled;

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome {
    /// Id of the call.
    pub call_id: String,
    /// Canonical name of the tool, if it was found.
    pub tool: Option<String>,
    /// The complete result after the screen.
    pub text: String,
    /// Status of the call.
    pub status: ToolStatus,
    /// Duration of the call.
    pub duration: Duration,
    /// Number of requests that were sent; 0 if the call was rejected before it was sent.
    pub attempts: u32,
    /// The arguments as they were sent, as JSON, if they differ from those of the call.
    pub sent_arguments: Option<String>,
}

impl ToolOutcome {
    /// Converts to a result with `content`, which is the text or a shortened form of it.
    pub fn result(&self, content: String) -> ToolResult {
        ToolResult {
            shortened: false,
            call_id: self.call_id.clone(),
            content,
            status: self.status,
            usage: TokenUsage::default(),
        }
    }
}

/// The response to a call, without its id and duration.
pub(crate) struct CallResponse {
    tool: Option<String>,
    text: String,
    status: ToolStatus,
    attempts: u32,
    sent_arguments: Option<String>,
}

impl CallResponse {
    /// Creates the response to a call that was not sent.
    pub(crate) fn error(tool: Option<&str>, text: impl Into<String>) -> Self {
        let tool = tool.map(str::to_owned);
        Self { tool, text: text.into(), status: ToolStatus::Error, attempts: 0, sent_arguments: None }
    }

    /// Adds the arguments that were sent, if they differ from those of the call.
    pub(crate) fn with_sent_arguments(self, sent_arguments: Option<String>) -> Self {
        Self { sent_arguments: sent_arguments.filter(|_| self.attempts > 0), ..self }
    }

    pub(crate) fn into_outcome(self, call: &ToolCall, duration: Duration) -> ToolOutcome {
        ToolOutcome {
            call_id: call.id.clone(),
            tool: self.tool,
            text: self.text,
            status: self.status,
            duration,
            attempts: self.attempts,
            sent_arguments: self.sent_arguments,
        }
    }
}

/// Calls a tool with validated arguments.
pub(crate) async fn call_tool(
    server: &Server,
    tool: &ToolInfo,
    arguments: JsonObject,
    screen: &Screen,
    cancel: &CancellationToken,
    progress: &(impl Fn(CallProgress) + Send + Sync),
) -> Result<CallResponse, Cancelled> {
    let name = &server.settings().name;
    let progress = &|update: CallProgress| {
        let message = update.message.map(|message| screen.show(name, message));
        progress(CallProgress { message, ..update });
    };
    let call = PreparedCall {
        server,
        tool,
        arguments,
        cancel,
        deadline: Instant::now() + server.settings().call_within,
    };
    let live = call.usable().await?;
    let mut attempts = u32::from(live.is_some());
    let mut made = call.attempt(live, progress).await;
    if let Err(CallError::Broken(reason)) = &made
        && tool.may_repeat()
    {
        let reason = screen.show(name, reason.as_str());
        debug!(tool.name = tool.definition.name, reason, "retrying the call after a broken connection");
        if let Some(live) = call.usable().await? {
            attempts = 2;
            made = call.attempt(Some(live), progress).await;
        }
    }
    let (text, status) = match made {
        Ok(completed) => completed,
        Err(CallError::Cancelled) => return Err(Cancelled),
        Err(error @ CallError::TimedOut(_)) => (error.to_string(), ToolStatus::TimedOut),
        Err(error @ CallError::Broken(_)) => {
            (format!("{error}; {}", call.uncertainty(attempts)), ToolStatus::Error)
        }
        Err(error @ CallError::InvalidArguments(_)) => {
            let takes = parameters_of(&tool.definition.input_schema);
            (format!("{error}\nThis tool {takes}"), ToolStatus::Error)
        }
        Err(error @ CallError::Refused(_)) => (error.to_string(), ToolStatus::Error),
    };
    // Every text of a server leaves through this screen.
    let text = screen.show(name, text);
    let tool = Some(tool.definition.name.clone());
    Ok(CallResponse { tool, text, status, attempts, sent_arguments: None })
}

/// A call with everything it needs.
struct PreparedCall<'a> {
    server: &'a Server,
    tool: &'a ToolInfo,
    arguments: JsonObject,
    cancel: &'a CancellationToken,
    deadline: Instant,
}

impl PreparedCall<'_> {
    /// Waits for a connection that is not known to be broken, within the deadline.
    async fn usable(&self) -> Result<Option<LiveConnection>, Cancelled> {
        let within = self.deadline.saturating_duration_since(Instant::now()).min(RECONNECT_TIMEOUT);
        tokio::select! {
            live = self.server.usable(within) => Ok(live),
            () = self.cancel.cancelled() => Err(Cancelled),
        }
    }

    /// Explains to the model what a broken connection means for the call.
    fn uncertainty(&self, attempts: u32) -> &'static str {
        match (self.tool.may_repeat(), attempts) {
            (true, 1) => "the server has not reconnected yet",
            (true, _) => "the call was retried once",
            (false, _) => {
                "it is not known whether the tool ran; the call was not retried because the tool may have side effects"
            }
        }
    }

    async fn attempt(
        &self,
        live: Option<LiveConnection>,
        progress: &(impl Fn(CallProgress) + Send + Sync),
    ) -> Result<(String, ToolStatus), CallError> {
        let Some(live) = live else {
            return Err(CallError::Refused(
                "the server is not connected; the tool was not called".to_owned(),
            ));
        };
        let received = self.exchange(&live, progress).await;
        if matches!(received, Err(CallError::Broken(_))) {
            live.broken.cancel();
        }
        let result = received?;
        let status = if result.is_error == Some(true) { ToolStatus::Error } else { ToolStatus::Ok };
        let writing = ContentWriter::new(&live.peer).write(result);
        tokio::select! {
            text = timeout_at(self.deadline, writing) => match text {
                Ok(text) => Ok((text, status)),
                Err(_) => Err(CallError::TimedOut(self.server.settings().call_within)),
            },
            () = self.cancel.cancelled() => Err(CallError::Cancelled),
        }
    }

    /// Repeats the request with the input that the server requires until it returns a result.
    async fn exchange(
        &self,
        live: &LiveConnection,
        progress: &(impl Fn(CallProgress) + Send + Sync),
    ) -> Result<CallToolResult, CallError> {
        let mut params = self.params();
        for _ in 0..MAX_ROUNDS {
            match read_reply(self.request(live, params.clone(), progress).await?)? {
                CallReply::Result(result) => return Ok(result),
                CallReply::InputRequired(input) => {
                    params = respond_to_input(params, input).map_err(CallError::Refused)?;
                }
            }
        }
        Err(CallError::Refused(format!("the tool requested input {MAX_ROUNDS} times and returned no result")))
    }

    /// Sends one request and waits for the response, the deadline or cancellation, whichever is first.
    async fn request(
        &self,
        live: &LiveConnection,
        params: CallToolRequestParams,
        progress: &(impl Fn(CallProgress) + Send + Sync),
    ) -> Result<ServerResult, CallError> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sending = live.peer.send_request_with_option(request, PeerRequestOptions::no_options());
        let too_late = || CallError::TimedOut(self.server.settings().call_within);
        let request = timeout_at(self.deadline, sending).await.map_err(|_| too_late())??;
        let mut route = live.progress.open(request.progress_token.clone());
        let mut pending = PendingRequest(Some(request));
        let received = loop {
            tokio::select! {
                response = pending.response() => break Ok(response),
                update = route.next() => progress(update),
                () = tokio::time::sleep_until(self.deadline) => break Err(too_late()),
                () = self.cancel.cancelled() => break Err(CallError::Cancelled),
            }
        };
        route.drain().into_iter().for_each(progress);
        match received {
            Ok(Ok(response)) => Ok(response?),
            Ok(Err(_)) => Err(CallError::Broken("it was closed".to_owned())),
            Err(error) => {
                pending.cancel(&error).await;
                Err(error)
            }
        }
    }

    fn params(&self) -> CallToolRequestParams {
        let prefix = self.server.settings().name.len() + 1;
        let name = self.tool.definition.name[prefix..].to_owned();
        CallToolRequestParams::new(name).with_arguments(self.arguments.clone())
    }
}

/// A request without a response. The server is notified when it is cancelled or dropped.
struct PendingRequest(Option<RequestHandle<RoleClient>>);

impl PendingRequest {
    /// Waits for the response. A second call never completes.
    async fn response(&mut self) -> Result<Result<ServerResult, ServiceError>, RecvError> {
        let Some(request) = &mut self.0 else { return std::future::pending().await };
        let response = (&mut request.rx).await;
        self.0 = None;
        response
    }

    /// Notifies the server that the request is cancelled.
    async fn cancel(mut self, reason: &CallError) {
        if let Some(request) = self.0.take() {
            let _ = timeout(CANCEL_TIMEOUT, request.cancel(Some(reason.to_string()))).await;
        }
    }
}

impl Drop for PendingRequest {
    /// The caller dropped the future, so sending cannot be awaited: the notice is dropped if it cannot be
    /// queued immediately.
    fn drop(&mut self) {
        if let Some(request) = self.0.take() {
            let _ = request.cancel(Some("abandoned".to_owned())).now_or_never();
        }
    }
}

/// A server's response to a call.
enum CallReply {
    Result(CallToolResult),
    InputRequired(InputRequiredResult),
}

#[expect(clippy::wildcard_enum_match_arm, reason = "no other kind of result belongs to a call")]
fn read_reply(response: ServerResult) -> Result<CallReply, CallError> {
    match response {
        ServerResult::CallToolResult(result) => Ok(CallReply::Result(result)),
        ServerResult::InputRequiredResult(input) => Ok(CallReply::InputRequired(input)),
        ServerResult::CreateTaskResult(_) => Err(CallError::Refused(
            "the server started a background task, which this client did not request".to_owned(),
        )),
        _ => Err(CallError::Refused("the response of the server is not a tool result".to_owned())),
    }
}
