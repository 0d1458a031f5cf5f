//! The client side of a connection: handles requests and notifications from the server.

#![expect(deprecated, reason = "servers of older protocol versions still sample and log")]

mod input;
pub(crate) mod message;
mod progress;
mod progress_tap;

use std::sync::Arc;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ErrorCode, ErrorData, Implementation, LoggingLevel,
    LoggingMessageNotificationParam, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use serde_json::Value;
use tokio::sync::Notify;
use tracing::{debug, error, info, warn};

pub(crate) use input::respond_to_input;
pub(crate) use progress::ProgressRoutes;
pub(crate) use progress_tap::ProgressTap;

use crate::Screen;

/// Maximum length of a logged message of a server, in bytes.
const MAX_LOG_BYTES: usize = 2000;

/// Handles what a server requests from its client.
///
/// The list of roots is empty and elicitation is declined (both are defaults of rmcp): no person is present
/// to respond. Sampling is rejected: servers may not use our model.
pub(crate) struct McpClient {
    /// Name of the server.
    pub(crate) server: String,
    /// Screen for its log messages.
    pub(crate) screen: Screen,
    /// Notified when the list of tools changes.
    pub(crate) tools_changed: Arc<Notify>,
}

impl ClientHandler for McpClient {
    fn get_info(&self) -> ClientConfig {
        let identity = Implementation::new("tarsy", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), identity)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_message(
        &self,
        _: rmcp::model::CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<rmcp::model::CreateMessageResult, ErrorData> {
        debug!(server.name = self.server, "rejected a sampling request");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "this client does not offer sampling", None))
    }

    async fn on_logging_message(
        &self,
        log: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.log(log.level, log.data);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed.notify_one();
    }
}

impl McpClient {
    fn log(&self, level: LoggingLevel, data: Value) {
        let text = match data {
            Value::String(text) => text,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                data.to_string()
            }
        };
        let mut text = self.screen.show(&self.server, text);
        text.truncate(text.floor_char_boundary(MAX_LOG_BYTES));
        let server = &self.server;
        match level {
            LoggingLevel::Debug => debug!(server.name = server, "{text}"),
            LoggingLevel::Info | LoggingLevel::Notice => info!(server.name = server, "{text}"),
            LoggingLevel::Warning => warn!(server.name = server, "{text}"),
            LoggingLevel::Error | LoggingLevel::Critical | LoggingLevel::Alert | LoggingLevel::Emergency => {
                error!(server.name = server, "{text}");
            }
        }
    }
}
