//! One call of a tool, from its arguments to a text.

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

use crate::client::answer_input;
use crate::connection::Live;
use crate::content::Writer;
use crate::error::CallError;
use crate::server::Server;
use crate::{Screen, ToolInfo};

/// How long telling the server that nobody waits any more may hold us up.
const TELLS_WITHIN: Duration = Duration::from_millis(200);

/// How long a server is waited for that went away during a call.
const RETURNS_WITHIN: Duration = Duration::from_secs(10);

/// How often one call is made again because the server asks for something.
const MOST_ROUNDS: usize = 8;

/// News of a call under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// How much is done.
    pub done: f64,
    /// Of how much, if that is known.
    pub total: Option<f64>,
    /// What is being done.
    pub message: Option<String>,
}

/// Whoever asked for the call does not want it any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the tool call was cancelled")]
pub struct Cancelled;

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome {
    /// The call it answers.
    pub call_id: String,
    /// The canonical name of the tool that was found, if one was.
    pub tool: Option<String>,
    /// Everything that came back, as far as it may be seen.
    pub text: String,
    /// How it went.
    pub status: ToolStatus,
    /// How long it took.
    pub duration: Duration,
    /// How often the server was asked.
    pub attempts: u32,
}

impl ToolOutcome {
    /// The result with this text in it, which may be the whole one or a shorter one.
    pub fn result(&self, content: String) -> ToolResult {
        ToolResult {
            call_id: self.call_id.clone(),
            content,
            status: self.status,
            usage: TokenUsage::default(),
        }
    }
}

/// What is answered to a call.
pub(crate) struct Answer {
    tool: Option<String>,
    text: String,
    status: ToolStatus,
    attempts: u32,
}

impl Answer {
    /// A call that could not be made.
    pub(crate) fn error(tool: Option<&str>, text: impl Into<String>) -> Self {
        Self { tool: tool.map(str::to_owned), text: text.into(), status: ToolStatus::Error, attempts: 0 }
    }

    pub(crate) fn into_outcome(self, call: &ToolCall, duration: Duration) -> ToolOutcome {
        ToolOutcome {
            call_id: call.id.clone(),
            tool: self.tool,
            text: self.text,
            status: self.status,
            duration,
            attempts: self.attempts,
        }
    }
}

/// Calls a tool whose arguments are known to be right.
pub(crate) async fn call_tool(
    server: &Server,
    tool: &ToolInfo,
    arguments: JsonObject,
    screen: &Screen,
    cancel: &CancellationToken,
    progress: &(impl Fn(Progress) + Send + Sync),
) -> Result<Answer, Cancelled> {
    let name = &server.settings().name;
    let progress = &|told: Progress| {
        let message = told.message.map(|message| screen.show(name, message));
        progress(Progress { message, ..told });
    };
    let call =
        Call { server, tool, arguments, cancel, deadline: Instant::now() + server.settings().call_within };
    let live = call.usable().await?;
    let mut attempts = u32::from(live.is_some());
    let mut made = call.attempt(live, progress).await;
    if let Err(CallError::Broken(reason)) = &made
        && tool.may_repeat()
    {
        let reason = screen.show(name, reason.as_str());
        debug!(tool.name = tool.definition.name, reason, "calling once more, if the server comes back");
        if let Some(live) = call.usable().await? {
            attempts = 2;
            made = call.attempt(Some(live), progress).await;
        }
    }
    let (text, status) = match made {
        Ok(answer) => answer,
        Err(CallError::Cancelled) => return Err(Cancelled),
        Err(error @ CallError::TimedOut(_)) => (error.to_string(), ToolStatus::TimedOut),
        Err(error @ CallError::Broken(_)) => {
            (format!("{error}; {}", call.doubt(attempts)), ToolStatus::Error)
        }
        Err(error @ CallError::Refused(_)) => (error.to_string(), ToolStatus::Error),
    };
    // The one way out for everything that a server answers.
    let text = screen.show(name, text);
    Ok(Answer { tool: Some(tool.definition.name.clone()), text, status, attempts })
}

/// A call with all that it needs.
struct Call<'a> {
    server: &'a Server,
    tool: &'a ToolInfo,
    arguments: JsonObject,
    cancel: &'a CancellationToken,
    deadline: Instant,
}

impl Call<'_> {
    /// A connection that is not known to be broken, if there is one in time. With one that is, nothing could be sent.
    async fn usable(&self) -> Result<Option<Live>, Cancelled> {
        let within = self.deadline.saturating_duration_since(Instant::now()).min(RETURNS_WITHIN);
        tokio::select! {
            live = self.server.usable(within) => Ok(live),
            () = self.cancel.cancelled() => Err(Cancelled),
        }
    }

    /// What a model should know about a call whose end is unknown.
    fn doubt(&self, attempts: u32) -> &'static str {
        match (self.tool.may_repeat(), attempts) {
            (true, 1) => "the server has not come back yet",
            (true, _) => "it was called a second time",
            (false, _) => {
                "whether the tool did its work is unknown, and it was not called again because it may change something"
            }
        }
    }

    async fn attempt(
        &self,
        live: Option<Live>,
        progress: &(impl Fn(Progress) + Send + Sync),
    ) -> Result<(String, ToolStatus), CallError> {
        let Some(live) = live else {
            return Err(CallError::Refused(
                "there is no connection to the server; the tool was not called".to_owned(),
            ));
        };
        let asked = self.converse(&live, progress).await;
        if matches!(asked, Err(CallError::Broken(_))) {
            live.broken.cancel();
        }
        let result = asked?;
        let status = if result.is_error == Some(true) { ToolStatus::Error } else { ToolStatus::Ok };
        let writing = Writer::new(&live.peer).write(result);
        tokio::select! {
            text = timeout_at(self.deadline, writing) => match text {
                Ok(text) => Ok((text, status)),
                Err(_) => Err(CallError::TimedOut(self.server.settings().call_within)),
            },
            () = self.cancel.cancelled() => Err(CallError::Cancelled),
        }
    }

    /// Asks, and asks again with what the server wants to know, until there is a result.
    async fn converse(
        &self,
        live: &Live,
        progress: &(impl Fn(Progress) + Send + Sync),
    ) -> Result<CallToolResult, CallError> {
        let mut params = self.params();
        for _ in 0..MOST_ROUNDS {
            match read_reply(self.ask(live, params.clone(), progress).await?)? {
                Reply::Result(result) => return Ok(result),
                Reply::Asks(input) => params = answer_input(params, input).map_err(CallError::Refused)?,
            }
        }
        Err(CallError::Refused("the tool asks for more and more and comes to no result".to_owned()))
    }

    /// Sends the request and waits for what comes first: its answer, its deadline, or that nobody wants it any more.
    async fn ask(
        &self,
        live: &Live,
        params: CallToolRequestParams,
        progress: &(impl Fn(Progress) + Send + Sync),
    ) -> Result<ServerResult, CallError> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sending = live.peer.send_request_with_option(request, PeerRequestOptions::no_options());
        let too_late = || CallError::TimedOut(self.server.settings().call_within);
        let request = timeout_at(self.deadline, sending).await.map_err(|_| too_late())??;
        let mut news = live.progress.open(request.progress_token.clone());
        let mut pending = Pending(Some(request));
        let answer = loop {
            tokio::select! {
                answer = pending.answer() => break Ok(answer),
                told = news.next() => progress(told),
                () = tokio::time::sleep_until(self.deadline) => break Err(too_late()),
                () = self.cancel.cancelled() => break Err(CallError::Cancelled),
            }
        };
        news.rest().into_iter().for_each(progress);
        match answer {
            Ok(Ok(answer)) => Ok(answer?),
            Ok(Err(_)) => Err(CallError::Broken("it was closed".to_owned())),
            Err(error) => {
                pending.give_up(&error).await;
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

/// A request without an answer so far. The server is told when nobody waits for it any more.
struct Pending(Option<RequestHandle<RoleClient>>);

impl Pending {
    /// The answer, which comes once.
    async fn answer(&mut self) -> Result<Result<ServerResult, ServiceError>, RecvError> {
        let Some(request) = &mut self.0 else { return std::future::pending().await };
        let answer = (&mut request.rx).await;
        self.0 = None;
        answer
    }

    /// Tells the server why nobody waits any more.
    async fn give_up(mut self, reason: &CallError) {
        if let Some(request) = self.0.take() {
            let _ = timeout(TELLS_WITHIN, request.cancel(Some(reason.to_string()))).await;
        }
    }
}

impl Drop for Pending {
    /// Whoever called is gone without a word, so nobody can wait until it is sent: it is queued now or not at all.
    fn drop(&mut self) {
        if let Some(request) = self.0.take() {
            let _ = request.cancel(Some("abandoned".to_owned())).now_or_never();
        }
    }
}

/// What a server answers to a call.
enum Reply {
    Result(CallToolResult),
    Asks(InputRequiredResult),
}

#[expect(clippy::wildcard_enum_match_arm, reason = "every other kind of answer is none to a call")]
fn read_reply(answer: ServerResult) -> Result<Reply, CallError> {
    match answer {
        ServerResult::CallToolResult(result) => Ok(Reply::Result(result)),
        ServerResult::InputRequiredResult(input) => Ok(Reply::Asks(input)),
        ServerResult::CreateTaskResult(_) => Err(CallError::Refused(
            "the tool answered with a task to be asked for later, which was not asked for".to_owned(),
        )),
        _ => Err(CallError::Refused("the server's answer is not a result of a tool".to_owned())),
    }
}
