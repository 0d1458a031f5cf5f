//! One execution's view of its servers: tools under canonical names, and calls to them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tarsy_domain::{ToolCall, resolve_tool_name};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::arguments::read_arguments;
use crate::call::{CallProgress, CallResponse, Cancelled, ToolOutcome, call_tool};
use crate::http::Requests;
use crate::server::Server;
use crate::{HttpEndpoint, Isolation, Screen, ServerHealth, ToolInfo, Transport};

/// Timeout of the request to `cleanup_url`.
const CLEANUP_TIMEOUT: Duration = Duration::from_secs(10);

/// The tools of one execution.
pub struct ToolBox {
    servers: Vec<Arc<Server>>,
    screen: Screen,
}

impl ToolBox {
    pub(crate) fn new(servers: Vec<Arc<Server>>, screen: Screen) -> Self {
        Self { servers, screen }
    }

    /// Returns the tools that are available now, grouped by server.
    pub fn tools(&self) -> Vec<ToolInfo> {
        self.servers.iter().flat_map(|server| server.status().tools.to_vec()).collect()
    }

    /// Returns the health of the servers.
    pub fn health(&self) -> Vec<ServerHealth> {
        self.servers.iter().map(|server| server.health()).collect()
    }

    /// Calls a tool.
    ///
    /// Every failure is an outcome with a text for the model; only cancellation is an error. The call ends
    /// within the server's `call_within`, and immediately when it is cancelled. `progress` receives the
    /// server's notifications.
    pub async fn call(
        &self,
        call: &ToolCall,
        cancel: &CancellationToken,
        progress: impl Fn(CallProgress) + Send + Sync,
    ) -> Result<ToolOutcome, Cancelled> {
        let began = Instant::now();
        let response = match self.prepare(call) {
            Ok(prepared) => {
                let (server, tool, arguments) = prepared;
                let sent = changed(call, &arguments);
                let response = call_tool(&server, &tool, arguments, &self.screen, cancel, &progress).await?;
                response.with_sent_arguments(sent)
            }
            Err(response) => response,
        };
        Ok(response.into_outcome(call, began.elapsed()))
    }

    /// Closes the servers that are isolated for this execution.
    pub async fn close(&self) {
        let own = self.servers.iter().filter(|server| server.settings().isolation == Isolation::Execution);
        join_all(own.map(|server| self.end(server))).await;
    }

    async fn end(&self, server: &Server) {
        server.close().await;
        let endpoint = match &server.settings().transport {
            Transport::Stdio(_) => return,
            Transport::Http(endpoint) | Transport::Sse(endpoint) => endpoint,
        };
        if let Err(error) = clean_up(endpoint).await {
            let name = &server.settings().name;
            let error = self.screen.show(name, error.to_string());
            warn!(server.name = name, error, "cleanup request failed");
        }
    }

    /// Finds the tool and parses the arguments. The error is the response to the model.
    fn prepare(
        &self,
        call: &ToolCall,
    ) -> Result<(Arc<Server>, ToolInfo, rmcp::model::JsonObject), CallResponse> {
        let tools: Vec<_> = self
            .servers
            .iter()
            .flat_map(|server| server.status().tools.to_vec().into_iter().map(move |tool| (server, tool)))
            .collect();
        let names = tools.iter().map(|(_, tool)| tool.definition.name.as_str());
        let name = resolve_tool_name(&call.name, names).map_err(|unknown| self.unknown(&unknown))?;
        let found = tools.iter().find(|(_, tool)| tool.definition.name == name);
        let Some((server, tool)) = found else {
            return Err(CallResponse::error(None, "the tool is no longer available"));
        };
        match read_arguments(&tool.definition.input_schema, &call.arguments) {
            Ok(arguments) => Ok(((*server).clone(), tool.clone(), arguments)),
            Err(wrong) => Err(CallResponse::error(Some(name), wrong)),
        }
    }

    /// Returns the response to an unknown name. An unavailable server may be the reason, so the message lists
    /// unavailable servers.
    fn unknown(&self, unknown: &tarsy_domain::UnknownTool) -> CallResponse {
        let mut text = unknown.to_string();
        if !unknown.nearest.is_empty() {
            text = format!("{text}; did you mean {}?", unknown.nearest.join(" or "));
        }
        for server in self.servers.iter().filter(|server| server.status().live.is_none()) {
            let health = server.health();
            let reason = health.last_error.unwrap_or_else(|| "the server is starting".to_owned());
            text = format!("{text}\nThe tools of `{}` are not available now: {reason}", health.name);
        }
        CallResponse::error(None, text)
    }
}

/// Returns the arguments that are sent, if they differ from what the model wrote.
fn changed(call: &ToolCall, sent: &rmcp::model::JsonObject) -> Option<String> {
    let written: Option<rmcp::model::JsonObject> = serde_json::from_str(&call.arguments).ok();
    let is_equal = written.map_or(sent.is_empty(), |written| written == *sent);
    if is_equal { None } else { serde_json::to_string(sent).ok() }
}

async fn clean_up(endpoint: &HttpEndpoint) -> Result<(), crate::http::HttpError> {
    match &endpoint.cleanup_url {
        Some(url) => Requests::new(endpoint)?.clean_up(url, CLEANUP_TIMEOUT).await,
        None => Ok(()),
    }
}
