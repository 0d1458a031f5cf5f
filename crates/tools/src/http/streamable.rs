//! Streamable HTTP: rmcp's transport with our own HTTP client.
//!
//! rmcp's client reads a response of any size into memory. This one replaces a message that is too large with
//! an error response, so that its call fails and the connection stays open, and explains error statuses.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::stream::{self, BoxStream, StreamExt};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::http_header::{HEADER_LAST_EVENT_ID, HEADER_SESSION_ID};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpPostResponse,
};
use sse_stream::Sse;

use super::events::{McpSseEvent, McpSseEvents};
use super::requests::{accept, error_of};
use super::{HttpError, Requests, TransportError};
use crate::client::message::{MAX_MESSAGE_BYTES, too_large};
use crate::stdio::lines::BoundedLine;

type SseStream = BoxStream<'static, Result<Sse, SseError>>;

/// Creates a transport to this server. A session that the server has lost is reopened.
pub(crate) fn streamable_transport(requests: Requests) -> StreamableHttpClientTransport<Requests> {
    let config = StreamableHttpClientTransportConfig::with_uri(requests.url.as_str());
    StreamableHttpClientTransport::with_client(requests, config)
}

impl StreamableHttpClient for Requests {
    type Error = HttpError;

    async fn post_message(
        &self,
        _: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, TransportError> {
        let had_session = session_id.is_some();
        let request = with_headers(self.client.post(self.url.clone()), session_id.as_deref(), headers)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(serde_json::to_vec(&message)?);
        let response = request.send().await.map_err(client_error)?;
        let status = response.status();
        if status == StatusCode::NOT_FOUND && had_session {
            return Err(TransportError::SessionExpired);
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let id = id_of(&message);
        read_response(response, id).await
    }

    async fn delete_session(
        &self,
        _: Arc<str>,
        session_id: Arc<str>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), TransportError> {
        let request = with_headers(self.client.delete(self.url.clone()), Some(&session_id), headers);
        let response = request.send().await.map_err(client_error)?;
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Ok(());
        }
        accept(response).await.map(|_| ()).map_err(TransportError::Client)
    }

    async fn get_stream(
        &self,
        _: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<SseStream, TransportError> {
        let mut request = with_headers(self.client.get(self.url.clone()), session_id.as_deref(), headers)
            .header(ACCEPT, "text/event-stream");
        if let Some(last) = last_event_id {
            request = request.header(HEADER_LAST_EVENT_ID, last);
        }
        let response = request.send().await.map_err(client_error)?;
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(TransportError::ServerDoesNotSupportSse);
        }
        let response = accept(response).await.map_err(TransportError::Client)?;
        match content_type(&response) {
            Some("text/event-stream") => Ok(events(response, None)),
            other => Err(TransportError::UnexpectedContentType(other.map(str::to_owned))),
        }
    }
}

fn client_error(error: reqwest::Error) -> TransportError {
    TransportError::Client(error.into())
}

fn with_headers(
    mut request: RequestBuilder,
    session_id: Option<&str>,
    headers: HashMap<HeaderName, HeaderValue>,
) -> RequestBuilder {
    for (name, value) in headers {
        request = request.header(name, value);
    }
    match session_id {
        Some(session_id) => request.header(HEADER_SESSION_ID, session_id),
        None => request,
    }
}

fn id_of(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
        ClientJsonRpcMessage::Response(_)
        | ClientJsonRpcMessage::Notification(_)
        | ClientJsonRpcMessage::Error(_) => None,
    }
}

/// Reads the response to a message; `id` is present if the message is a request.
async fn read_response(
    response: Response,
    id: Option<RequestId>,
) -> Result<StreamableHttpPostResponse, TransportError> {
    let status = response.status();
    let session = response.headers().get(HEADER_SESSION_ID);
    let session = session.and_then(|session| session.to_str().ok()).map(str::to_owned);
    match (content_type(&response), id) {
        (Some("text/event-stream"), id) if status.is_success() => {
            Ok(StreamableHttpPostResponse::Sse(events(response, id), session))
        }
        (Some("application/json"), Some(id)) if may_carry_message(status) => {
            let message = read_json(response, &id).await?;
            // A protocol error may come with an error status; any other body is the text of an HTTP error.
            match message {
                Ok(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
                Err(body) if status.is_success() => Err(TransportError::Client(HttpError::NotMcp(body))),
                Err(body) => Err(TransportError::Client(HttpError::Status { status, body })),
            }
        }
        (_, None) if status.is_success() => Ok(StreamableHttpPostResponse::Accepted),
        (other, Some(_)) if status.is_success() => {
            let other = other.unwrap_or("missing");
            Err(TransportError::Client(HttpError::NotMcp(format!("its content type is {other}"))))
        }
        (_, _) => Err(TransportError::Client(error_of(status, response).await)),
    }
}

/// Returns whether a response with this status may carry a message. One that rejects our credentials may not.
fn may_carry_message(status: StatusCode) -> bool {
    !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS)
}

fn content_type(response: &Response) -> Option<&str> {
    let value = response.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim())
}

/// Reads the message of a response, or the beginning of a body that is not a message.
async fn read_json(
    mut response: Response,
    id: &RequestId,
) -> Result<Result<ServerJsonRpcMessage, String>, TransportError> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(client_error)? {
        if body.len() + bytes.len() > MAX_MESSAGE_BYTES {
            return Ok(Ok(ServerJsonRpcMessage::error(too_large(body.len()), Some(id.clone()))));
        }
        body.extend_from_slice(&bytes);
    }
    let shown = || String::from_utf8_lossy(&body[..body.len().min(300)]).into_owned();
    Ok(serde_json::from_slice(&body).map_err(|_| shown()))
}

/// Streams the events of a response. An event that is too large becomes an error response for `id`.
fn events(response: Response, id: Option<RequestId>) -> SseStream {
    let events = (McpSseEvents::new(response), id);
    stream::unfold(events, |(mut events, id)| async move {
        let event = events.next().await?;
        let event = sse(event, id.as_ref());
        Some((Ok(event), (events, id)))
    })
    .boxed()
}

fn sse(event: McpSseEvent, id: Option<&RequestId>) -> Sse {
    let data = match event.data {
        Some(BoundedLine::Whole(data)) => Some(String::from_utf8_lossy(&data).into_owned()),
        Some(BoundedLine::Cut { bytes, .. }) => {
            let error = id.map(|id| ServerJsonRpcMessage::error(too_large(bytes), Some(id.clone())));
            error.and_then(|error| serde_json::to_string(&error).ok())
        }
        None => None,
    };
    Sse { event: event.name, data, id: event.id, retry: event.retry }
}
