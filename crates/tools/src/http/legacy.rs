//! The transport before streamable HTTP: a stream of events from the server, and one request per message to
//! it.
//!
//! <https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse>.
//! A stream cannot be resumed: when it ends, the connection has ended, and a new one is opened.

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use url::Url;

use super::events::{McpSseEvent, McpSseEvents};
use super::requests::accept;
use super::{HttpError, Requests};
use crate::client::message::read_line;
use crate::stdio::Diagnosis;
use crate::stdio::lines::BoundedLine;

/// A connection over server-sent events.
pub(crate) struct SseTransport {
    requests: Requests,
    /// URL for messages, as announced by the server.
    endpoint: Url,
    /// `None` once the connection is closed.
    events: Option<McpSseEvents>,
    diagnosis: Diagnosis,
}

impl SseTransport {
    /// Opens the stream and waits for the `endpoint` event.
    pub(crate) async fn open(requests: Requests, diagnosis: Diagnosis) -> Result<Self, HttpError> {
        let request = requests.client.get(requests.url.clone()).header(ACCEPT, "text/event-stream");
        let mut events = McpSseEvents::new(accept(request.send().await?).await?);
        let endpoint = loop {
            let Some(event) = events.next().await else {
                return Err(HttpError::NotMcp("the stream ended before its `endpoint` event".to_owned()));
            };
            if event.name.as_deref() == Some("endpoint") {
                break endpoint(&requests.url, &event)?;
            }
        };
        Ok(Self { requests, endpoint, events: Some(events), diagnosis })
    }
}

impl Transport<RoleClient> for SseTransport {
    type Error = HttpError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), HttpError>> + Send + 'static {
        let request = self.requests.client.post(self.endpoint.clone());
        async move {
            let body = serde_json::to_vec(&message).map_err(|error| HttpError::NotMcp(error.to_string()))?;
            let response = request.header(CONTENT_TYPE, "application/json").body(body).send().await?;
            accept(response).await.map(|_| ())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let event = self.events.as_mut()?.next().await?;
            let is_message = event.name.as_deref().is_none_or(|name| name == "message");
            let data = event.data.filter(|_| is_message);
            if let Some(message) = data.and_then(|data| read_line(data, &self.diagnosis)) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), HttpError> {
        self.events = None;
        Ok(())
    }
}

/// Returns the URL for messages. Another origin is rejected: it would receive our headers and the alert's
/// data.
fn endpoint(url: &Url, event: &McpSseEvent) -> Result<Url, HttpError> {
    let Some(BoundedLine::Whole(data)) = &event.data else {
        return Err(HttpError::NotMcp("its `endpoint` event is empty".to_owned()));
    };
    let text = String::from_utf8_lossy(data);
    let endpoint = url.join(text.trim());
    match endpoint {
        Ok(endpoint) if endpoint.origin() == url.origin() => Ok(endpoint),
        Ok(_) => Err(HttpError::NotMcp("its `endpoint` event points to another server".to_owned())),
        Err(error) => Err(HttpError::NotMcp(format!("its `endpoint` event is not a valid URL: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_messages_only_to_the_same_origin() {
        let url = Url::parse("https://example.org:8443/sse").unwrap();
        let at = |text: &str| {
            endpoint(
                &url,
                &McpSseEvent { data: Some(BoundedLine::Whole(text.into())), ..McpSseEvent::default() },
            )
            .map(String::from)
            .map_err(|error| error.to_string())
        };
        assert_eq!(at("/m?s=1").as_deref(), Ok("https://example.org:8443/m?s=1"));
        assert_eq!(at("https://example.org:8443/m").as_deref(), Ok("https://example.org:8443/m"));
        for other in
            ["https://example.org/m", "http://example.org:8443/m", "//evil.org/m", "https://evil.org"]
        {
            assert!(at(other).unwrap_err().contains("another server"), "{other}");
        }
    }
}
