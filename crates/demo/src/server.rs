//! The MCP server that shows the cluster of an incident, over standard input and output.
//!
//! It is a program of its own, as any other MCP server would be: the tool box starts it and speaks real MCP with it.

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
use crate::incident::{ContentFault, Incident};
use crate::present::Present;
use crate::tool::{self, Arguments};

/// Why a cluster is not shown.
#[derive(Debug, Error)]
pub enum ServeError {
    /// There is a mistake in the incident.
    #[error(transparent)]
    Content(#[from] ContentFault),
    /// Nobody at the other end speaks MCP.
    #[error("this is an MCP server for programs, and what came on standard input does not begin as MCP does")]
    Opening(#[source] Box<ServerInitializeError>),
    /// The server broke.
    #[error("the MCP server stopped")]
    Broken(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Shows the cluster of an incident to whoever is at the other end, until they leave.
pub async fn serve_cluster(incident: &Incident) -> Result<(), ServeError> {
    let server = ClusterServer { cluster: Cluster::of(incident)?, last_look: Mutex::new(None) };
    let transport = rmcp::transport::stdio();
    let running = server.serve(transport).await.map_err(|error| ServeError::Opening(Box::new(error)))?;
    running.waiting().await.map_err(|error| ServeError::Broken(Box::new(error)))?;
    Ok(())
}

struct ClusterServer {
    cluster: Cluster,
    /// When somebody looked last, which decides what time it is in the story. Never held while waiting.
    last_look: Mutex<Option<Present>>,
}

impl ClusterServer {
    fn look(&self, name: &str, arguments: Arguments) -> CallToolResult {
        match tool::look(name, arguments, &self.cluster, self.present()) {
            Ok(seen) => CallToolResult::success(vec![ContentBlock::text(seen)]),
            Err(problem) => CallToolResult::error(vec![ContentBlock::text(problem)]),
        }
    }

    fn present(&self) -> Present {
        let now = Timestamp::now();
        let mut last = self.last_look.lock().unwrap_or_else(PoisonError::into_inner);
        let present = last.map_or_else(|| Present::beginning(now), |last| last.at_next_look(now));
        *last = Some(present);
        present
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
        Ok(ListToolsResult::with_all_items(tool::tools().into_iter().map(offered).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.look(&request.name, request.arguments.unwrap_or_default()).into())
    }
}

/// A tool in the words of MCP. None of them changes anything, so every call may be made again.
fn offered(tool: tool::Tool) -> Tool {
    let looks_only = ToolAnnotations::new().read_only(true).idempotent(true).open_world(false);
    Tool::new(tool.name, tool.description, tool.input_schema).with_annotations(looks_only)
}
