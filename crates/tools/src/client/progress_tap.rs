//! Delivers progress notifications in the order in which the server sends them.
//!
//! rmcp spawns a task for every notification, which may run after the response of the call it belongs to. So
//! progress is intercepted in the transport, before rmcp receives the message.

use rmcp::RoleClient;
use rmcp::model::ServerNotification;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use super::ProgressRoutes;
use crate::CallProgress;

/// A transport that forwards progress notifications to their routes.
pub(crate) struct ProgressTap<T> {
    pub(crate) transport: T,
    pub(crate) progress: ProgressRoutes,
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for ProgressTap<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.transport.receive().await?;
        if let RxJsonRpcMessage::<RoleClient>::Notification(received) = &message
            && let ServerNotification::ProgressNotification(notification) = &received.notification
        {
            let params = notification.params.clone();
            let progress =
                CallProgress { done: params.progress, total: params.total, message: params.message };
            self.progress.deliver(&params.progress_token, progress);
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.transport.close().await
    }
}
