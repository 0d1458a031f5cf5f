//! An MCP server on stdin and stdout that serves the cluster of an incident.
//!
//! It runs as a separate process, which the toolbox starts and connects to like any other stdio server.

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use thiserror::Error;

use crate::cluster::Cluster;
use crate::incident::{ContentError, Incident};
use crate::incident_clock::IncidentClock;
use crate::tool::{self, ToolArguments};

/// An error of the cluster server.
#[derive(Debug, Error)]
pub enum ClusterServerError {
    /// A file of the incident is invalid.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// The client did not complete the MCP handshake.
    #[error("the MCP handshake failed; this command is an MCP server and expects an MCP client on stdin")]
    Handshake(#[source] Box<ServerInitializeError>),
    /// The connection failed.
    #[error("the MCP server stopped")]
    Stopped(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Serves the cluster of an incident until the client disconnects.
pub async fn serve_cluster(incident: &Incident) -> Result<(), ClusterServerError> {
    let server = ClusterServer { cluster: Cluster::of(incident)?, clock: Mutex::new(None) };
    let transport = rmcp::transport::stdio();
    let running =
        server.serve(transport).await.map_err(|error| ClusterServerError::Handshake(Box::new(error)))?;
    running.waiting().await.map_err(|error| ClusterServerError::Stopped(Box::new(error)))?;
    Ok(())
}

struct ClusterServer {
    cluster: Cluster,
    /// The clock at the last call. Never locked across an await.
    clock: Mutex<Option<IncidentClock>>,
}

impl ClusterServer {
    fn call(&self, name: &str, arguments: ToolArguments) -> CallToolResult {
        match tool::run(name, arguments, &self.cluster, self.advance_clock()) {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(problem) => CallToolResult::error(vec![ContentBlock::text(problem)]),
        }
    }

    fn advance_clock(&self) -> IncidentClock {
        let now = Timestamp::now();
        let mut last = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let clock = last.map_or_else(|| IncidentClock::start(now), |last| last.advance(now));
        *last = Some(clock);
        clock
    }
}

impl ServerHandler for ClusterServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("tarsy-demo-cluster", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tool::tools().into_iter().map(mcp_tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.call(&request.name, request.arguments.unwrap_or_default()).into())
    }
}

/// Converts a tool to MCP. All tools are read-only, so every call may be retried.
fn mcp_tool(tool: tool::ToolEntry) -> Tool {
    let annotations = ToolAnnotations::new().read_only(true).idempotent(true).open_world(false);
    Tool::new(tool.name, tool.description, tool.input_schema).with_annotations(annotations)
}
