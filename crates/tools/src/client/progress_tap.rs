//! Hears news of calls in the order in which the server says it.
//!
//! The service hands every notification to a task of its own, which may come to its turn after the answer of the call
//! that it is about. So news is taken where messages arrive, before anybody else sees them.

use rmcp::RoleClient;
use rmcp::model::ServerNotification;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use super::ProgressRoutes;
use crate::Progress;

/// A transport whose news of calls is delivered.
pub(crate) struct Ear<T> {
    pub(crate) transport: T,
    pub(crate) progress: ProgressRoutes,
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Ear<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.transport.receive().await?;
        if let RxJsonRpcMessage::<RoleClient>::Notification(told) = &message
            && let ServerNotification::ProgressNotification(news) = &told.notification
        {
            let news = news.params.clone();
            let progress = Progress { done: news.progress, total: news.total, message: news.message };
            self.progress.deliver(&news.progress_token, progress);
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.transport.close().await
    }
}
