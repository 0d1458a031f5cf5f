//! Streamable HTTP. The transport is rmcp's; the requests it makes are made here.
//!
//! rmcp's own client reads an answer of any size into memory. This one answers for a message that is too large with an
//! error, so that the call it belongs to fails and the connection stays, and says what a refusal means.

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

use super::events::{Event, Events};
use super::requests::{accept, refusal};
use super::{HttpError, Requests, TransportError};
use crate::client::message::{LARGEST_MESSAGE, too_large};
use crate::stdio::lines::Line;

type SseEvents = BoxStream<'static, Result<Sse, SseError>>;

/// A transport to this server. Sessions that it forgets are opened anew.
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
        read_answer(response, id).await
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
    ) -> Result<SseEvents, TransportError> {
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

/// Reads the answer to a message; `id` is there if one is waited for.
async fn read_answer(
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
        (Some("application/json"), Some(id)) if answers(status) => {
            let message = read_json(response, &id).await?;
            // An error of the protocol may come with a status of refusal; anything else there is the refusal.
            match message {
                Ok(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
                Err(body) if status.is_success() => Err(TransportError::Client(HttpError::NotMcp(body))),
                Err(body) => Err(TransportError::Client(HttpError::Status { status, body })),
            }
        }
        (_, None) if status.is_success() => Ok(StreamableHttpPostResponse::Accepted),
        (other, Some(_)) if status.is_success() => {
            let other = other.unwrap_or("no content type");
            Err(TransportError::Client(HttpError::NotMcp(format!("it is {other}"))))
        }
        (_, _) => Err(TransportError::Client(refusal(status, response).await)),
    }
}

/// Whether a status may come with an answer of the protocol. Of who is not let in, none is taken.
fn answers(status: StatusCode) -> bool {
    !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS)
}

fn content_type(response: &Response) -> Option<&str> {
    let value = response.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim())
}

/// The message of an answer, or the beginning of what is none.
async fn read_json(
    mut response: Response,
    id: &RequestId,
) -> Result<Result<ServerJsonRpcMessage, String>, TransportError> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(client_error)? {
        if body.len() + bytes.len() > LARGEST_MESSAGE {
            return Ok(Ok(ServerJsonRpcMessage::error(too_large(body.len()), Some(id.clone()))));
        }
        body.extend_from_slice(&bytes);
    }
    let shown = || String::from_utf8_lossy(&body[..body.len().min(300)]).into_owned();
    Ok(serde_json::from_slice(&body).map_err(|_| shown()))
}

/// The events of an answer. An event that is too large becomes an error for whoever waits for it.
fn events(response: Response, id: Option<RequestId>) -> SseEvents {
    let events = (Events::new(response), id);
    stream::unfold(events, |(mut events, id)| async move {
        let event = events.next().await?;
        let event = sse(event, id.as_ref());
        Some((Ok(event), (events, id)))
    })
    .boxed()
}

fn sse(event: Event, id: Option<&RequestId>) -> Sse {
    let data = match event.data {
        Some(Line::Whole(data)) => Some(String::from_utf8_lossy(&data).into_owned()),
        Some(Line::Cut { bytes, .. }) => {
            let error = id.map(|id| ServerJsonRpcMessage::error(too_large(bytes), Some(id.clone())));
            error.and_then(|error| serde_json::to_string(&error).ok())
        }
        None => None,
    };
    Sse { event: event.name, data, id: event.id, retry: event.retry }
}
