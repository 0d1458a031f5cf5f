//! What one execution sees: tools under their canonical names, and calls of them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tarsy_domain::{ToolCall, resolve_tool_name};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::arguments::read_arguments;
use crate::call::{Answer, Cancelled, Progress, ToolOutcome, call_tool};
use crate::http::Requests;
use crate::server::Server;
use crate::{Endpoint, Isolation, Screen, ServerHealth, ToolInfo, Transport};

/// How long a server may take to hear that an execution has ended.
const CLEANS_UP_WITHIN: Duration = Duration::from_secs(10);

/// The tools of one execution.
pub struct ToolBox {
    servers: Vec<Arc<Server>>,
    screen: Screen,
}

impl ToolBox {
    pub(crate) fn new(servers: Vec<Arc<Server>>, screen: Screen) -> Self {
        Self { servers, screen }
    }

    /// The tools that can be called now, by server.
    pub fn tools(&self) -> Vec<ToolInfo> {
        self.servers.iter().flat_map(|server| server.status().tools.to_vec()).collect()
    }

    /// How the servers are doing.
    pub fn health(&self) -> Vec<ServerHealth> {
        self.servers.iter().map(|server| server.health()).collect()
    }

    /// Calls a tool.
    ///
    /// Whatever goes wrong is a result that says so; only who cancels gets none. The call ends within the server's
    /// `call_within`, and at once when it is cancelled. `progress` is told what the server tells about it.
    pub async fn call(
        &self,
        call: &ToolCall,
        cancel: &CancellationToken,
        progress: impl Fn(Progress) + Send + Sync,
    ) -> Result<ToolOutcome, Cancelled> {
        let began = Instant::now();
        let answer = match self.prepare(call) {
            Ok(prepared) => {
                let (server, tool, arguments) = prepared;
                call_tool(&server, &tool, arguments, &self.screen, cancel, &progress).await?
            }
            Err(answer) => answer,
        };
        Ok(answer.into_outcome(call, began.elapsed()))
    }

    /// Ends the servers that this execution has for itself.
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
            warn!(server.name = name, error, "the server could not be told that we are done");
        }
    }

    /// Finds the tool and reads the arguments, or says what is wrong with them.
    fn prepare(&self, call: &ToolCall) -> Result<(Arc<Server>, ToolInfo, rmcp::model::JsonObject), Answer> {
        let tools: Vec<_> = self
            .servers
            .iter()
            .flat_map(|server| server.status().tools.to_vec().into_iter().map(move |tool| (server, tool)))
            .collect();
        let names = tools.iter().map(|(_, tool)| tool.definition.name.as_str());
        let name = resolve_tool_name(&call.name, names).map_err(|unknown| self.unknown(&unknown))?;
        let found = tools.iter().find(|(_, tool)| tool.definition.name == name);
        let Some((server, tool)) = found else { return Err(Answer::error(None, "the tool is gone")) };
        match read_arguments(&tool.definition.input_schema, &call.arguments) {
            Ok(arguments) => Ok(((*server).clone(), tool.clone(), arguments)),
            Err(wrong) => Err(Answer::error(Some(name), wrong)),
        }
    }

    /// What is said about a name that no tool has; a server that is away may be the reason.
    fn unknown(&self, unknown: &tarsy_domain::UnknownTool) -> Answer {
        let mut text = unknown.to_string();
        if !unknown.nearest.is_empty() {
            text = format!("{text}; did you mean {}?", unknown.nearest.join(" or "));
        }
        for server in self.servers.iter().filter(|server| server.status().live.is_none()) {
            let health = server.health();
            let reason = health.last_error.unwrap_or_else(|| "it is being started".to_owned());
            text = format!("{text}\nThe tools of `{}` cannot be used now: {reason}", health.name);
        }
        Answer::error(None, text)
    }
}

async fn clean_up(endpoint: &Endpoint) -> Result<(), crate::http::HttpError> {
    match &endpoint.cleanup_url {
        Some(url) => Requests::new(endpoint)?.clean_up(url, CLEANS_UP_WITHIN).await,
        None => Ok(()),
    }
}
