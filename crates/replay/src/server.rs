//! An MCP server on stdin and stdout that returns recorded results.
//!
//! It runs as a separate process, which the toolbox starts and connects to like any other stdio server.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value};
use tarsy_domain::{RecordedServer, RecordedTool};
use thiserror::Error;

use crate::recording::{Recording, RecordingError};
use crate::results::{RecordedResults, ReplayedResult};

/// An error of the recorded MCP server.
#[derive(Debug, Error)]
pub enum ReplayToolsError {
    /// The file cannot be replayed.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The recording does not contain the server.
    #[error("the recording has no MCP server `{0}`")]
    UnknownServer(String),
    /// The client did not complete the MCP handshake.
    #[error("the MCP handshake failed; this command is an MCP server and expects an MCP client on stdin")]
    Handshake(#[source] Box<ServerInitializeError>),
    /// The connection failed.
    #[error("the MCP server stopped")]
    Stopped(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Serves the recorded results of a server for an agent until the client disconnects.
pub async fn serve_tools(file: &Path, server: &str, agent: &str) -> Result<(), ReplayToolsError> {
    let recording = Recording::load(file)?;
    let recorded = recording
        .session
        .tools
        .get(server)
        .ok_or_else(|| ReplayToolsError::UnknownServer(server.to_owned()))?;
    let server = ReplayServer::new(recorded, agent);
    let running = server
        .serve(rmcp::transport::stdio())
        .await
        .map_err(|error| ReplayToolsError::Handshake(Box::new(error)))?;
    running.waiting().await.map_err(|error| ReplayToolsError::Stopped(Box::new(error)))?;
    Ok(())
}

struct ReplayServer {
    tools: Vec<Tool>,
    /// The results that are left. Never locked across an await.
    results: Mutex<RecordedResults>,
}

impl ReplayServer {
    fn new(recorded: &RecordedServer, agent: &str) -> Self {
        Self {
            tools: recorded.definitions.iter().map(mcp_tool).collect(),
            results: Mutex::new(RecordedResults::new(recorded, agent)),
        }
    }

    fn call(&self, tool: &str, arguments: &Map<String, Value>) -> CallToolResult {
        let result = self.results.lock().unwrap_or_else(PoisonError::into_inner).take(tool, arguments);
        match result {
            ReplayedResult::Success(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            ReplayedResult::Failure(text) => CallToolResult::error(vec![ContentBlock::text(text)]),
        }
    }
}

impl ServerHandler for ReplayServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("tarsy-replay", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.call(&request.name, &request.arguments.unwrap_or_default()).into())
    }
}

/// Converts a tool to MCP. It is read-only and idempotent, whatever the recorded tool was.
fn mcp_tool(tool: &RecordedTool) -> Tool {
    let schema = tool.input_schema.as_object().cloned().unwrap_or_default();
    let annotations = ToolAnnotations::new().read_only(true).idempotent(true).open_world(false);
    Tool::new(tool.name.clone(), tool.description.clone(), Arc::new(schema)).with_annotations(annotations)
}
