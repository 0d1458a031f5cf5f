//! The MCP server that answers as a recorded one did, over standard input and output.
//!
//! It is a program of its own, as the recorded one may have been: the tool box starts it and speaks real MCP with it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::answers::{Answer, Answers};
use crate::recording::{RecordedServer, RecordedTool, Recording, RecordingError};

/// Why tools are not served.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The file cannot be run again.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The file has no such server.
    #[error("the recording has no MCP server `{0}`")]
    Unknown(String),
    /// Nobody at the other end speaks MCP.
    #[error("this is an MCP server for programs, and what came on standard input does not begin as MCP does")]
    Opening(#[source] Box<ServerInitializeError>),
    /// The server broke.
    #[error("the MCP server stopped")]
    Broken(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Answers to an agent as a recorded server did, until whoever is at the other end leaves.
pub async fn serve_tools(file: &Path, server: &str, agent: &str) -> Result<(), ServeError> {
    let recording = Recording::load(file)?;
    let recorded =
        recording.session.tools.get(server).ok_or_else(|| ServeError::Unknown(server.to_owned()))?;
    let server = ReplayServer::new(recorded, agent);
    let running =
        server.serve(rmcp::transport::stdio()).await.map_err(|error| ServeError::Opening(Box::new(error)))?;
    running.waiting().await.map_err(|error| ServeError::Broken(Box::new(error)))?;
    Ok(())
}

struct ReplayServer {
    tools: Vec<Tool>,
    /// What is left to answer. Never held while waiting.
    answers: Mutex<Answers>,
}

impl ReplayServer {
    fn new(recorded: &RecordedServer, agent: &str) -> Self {
        Self {
            tools: recorded.definitions.iter().map(offered).collect(),
            answers: Mutex::new(Answers::new(recorded, agent)),
        }
    }

    fn answer(&self, tool: &str, arguments: &Map<String, Value>) -> CallToolResult {
        let answer = self.answers.lock().unwrap_or_else(PoisonError::into_inner).take(tool, arguments);
        match answer {
            Answer::Result(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Answer::Failure(text) => CallToolResult::error(vec![ContentBlock::text(text)]),
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
        Ok(self.answer(&request.name, &request.arguments.unwrap_or_default()).into())
    }
}

/// A tool in the words of MCP. It only reads from a file, whatever the recorded one did.
fn offered(tool: &RecordedTool) -> Tool {
    let schema = tool.input_schema.as_object().cloned().unwrap_or_default();
    let looks_only = ToolAnnotations::new().read_only(true).idempotent(true).open_world(false);
    Tool::new(tool.name.clone(), tool.description.clone(), Arc::new(schema)).with_annotations(looks_only)
}
