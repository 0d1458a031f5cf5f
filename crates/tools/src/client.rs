//! Our side of a connection: what we answer to a server that asks, and what we do with what it tells.

#![expect(deprecated, reason = "servers of older protocol versions still sample and log")]

mod ear;
mod input;
pub(crate) mod message;
mod progress;

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

pub(crate) use ear::Ear;
pub(crate) use input::answer_input;
pub(crate) use progress::ProgressRoutes;

use crate::Screen;

/// The longest message of a server's that is logged.
const LONGEST_LOG: usize = 2000;

/// Answers a server.
///
/// Roots are answered with none, elicitation is declined (rmcp does both unless told otherwise), sampling is refused:
/// nobody sits here who could be asked, and our model is not for servers to use.
pub(crate) struct Client {
    /// The server's name.
    pub(crate) server: String,
    /// What it logs goes through this.
    pub(crate) screen: Screen,
    /// Told when the server has other tools than before.
    pub(crate) tools_changed: Arc<Notify>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let ourselves = Implementation::new("tarsy", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), ourselves)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_message(
        &self,
        _: rmcp::model::CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<rmcp::model::CreateMessageResult, ErrorData> {
        debug!(server.name = self.server, "refused to lend our model to the server");
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

impl Client {
    fn log(&self, level: LoggingLevel, data: Value) {
        let text = match data {
            Value::String(text) => text,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                data.to_string()
            }
        };
        let mut text = self.screen.show(&self.server, text);
        text.truncate(text.floor_char_boundary(LONGEST_LOG));
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
