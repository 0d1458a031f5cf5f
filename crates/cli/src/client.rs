//! A client of the HTTP interface: of a server somewhere, or of one inside this process.

mod error;
mod follow;
mod message;
mod session;

use std::time::Duration;

use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, Request};
use reqwest::{Body, Response};
use serde::de::DeserializeOwned;
use tarsy_domain::{Secret, SessionId};
use tarsy_server::InProcessServer;

pub(crate) use error::ClientError;
pub(crate) use follow::EventFollower;
pub(crate) use message::ReceivedMessage;
pub(crate) use session::{ExecutionView, SessionListPage, SessionRow, SessionView, StageView};

/// A server that does not take a connection within this time is not there.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// A client of a server.
pub(crate) struct ApiClient(Door);

/// Where a server is.
enum Door {
    Remote(Remote),
    InProcess(InProcessServer),
}

struct Remote {
    http: reqwest::Client,
    /// Its address, without a slash at the end.
    server: String,
    token: Option<Secret>,
}

/// A body that is sent, with its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestBody {
    pub(crate) content_type: &'static str,
    pub(crate) text: String,
}

impl ApiClient {
    /// A client of the server at an address, known by its token if there is one.
    pub(crate) fn remote(server: &str, token: Option<Secret>) -> Result<Self, ClientError> {
        let http = reqwest::Client::builder().connect_timeout(CONNECT_WITHIN).build();
        let http = http.map_err(|source| ClientError::Unreachable { server: server.to_owned(), source })?;
        Ok(Self(Door::Remote(Remote { http, server: server.trim_end_matches('/').to_owned(), token })))
    }

    /// A client of a server in this process.
    pub(crate) fn inside(inside: InProcessServer) -> Self {
        Self(Door::InProcess(inside))
    }

    /// What is at a path.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        understood(path, &self.get_text(path).await?)
    }

    /// What is at a path, as it is written.
    pub(crate) async fn get_text(&self, path: &str) -> Result<String, ClientError> {
        text_of(self.ask(request(Method::GET, path, String::new())?).await?).await
    }

    /// Sends something to a path.
    pub(crate) async fn post<T: DeserializeOwned>(&self, path: &str, sent: RequestBody) -> Result<T, ClientError> {
        let RequestBody { content_type, text } = sent;
        let mut request = request(Method::POST, path, text)?;
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        understood(path, &text_of(self.ask(request).await?).await?)
    }

    /// A session with its parts.
    pub(crate) async fn session(&self, session_id: SessionId) -> Result<SessionView, ClientError> {
        self.get(&format!("/api/v1/sessions/{session_id}")).await
    }

    /// Asks a session to stop.
    pub(crate) async fn cancel(&self, session_id: SessionId) -> Result<SessionView, ClientError> {
        let nothing = RequestBody { content_type: "application/json", text: String::new() };
        let path = format!("/api/v1/sessions/{session_id}/cancel");
        let _: serde_json::Value = self.post(&path, nothing).await?;
        self.session(session_id).await
    }

    /// The answer, if it is not a refusal.
    async fn ask(&self, request: Request<String>) -> Result<Response, ClientError> {
        let response = match &self.0 {
            Door::Remote(remote) => remote.ask(request).await?,
            Door::InProcess(inside) => Response::from(inside.send(request).await.map(Body::wrap_stream)),
        };
        match response.status().is_success() {
            true => Ok(response),
            false => Err(ClientError::refused(response).await),
        }
    }
}

impl Remote {
    async fn ask(&self, request: Request<String>) -> Result<Response, ClientError> {
        let (parts, body) = request.into_parts();
        let mut asked = self.http.request(parts.method, format!("{}{}", self.server, parts.uri));
        if let Some(token) = &self.token {
            asked = asked.header(AUTHORIZATION, format!("Bearer {}", token.expose()));
        }
        let sent = asked.headers(parts.headers).body(body).send().await;
        sent.map_err(|source| ClientError::Unreachable { server: self.server.clone(), source })
    }
}

fn request(method: Method, path: &str, body: String) -> Result<Request<String>, ClientError> {
    let built = Request::builder().method(method).uri(path).header(ACCEPT, "application/json").body(body);
    built.map_err(|source| ClientError::NoPath { path: path.to_owned(), source })
}

async fn text_of(response: Response) -> Result<String, ClientError> {
    response.text().await.map_err(ClientError::Broken)
}

fn understood<T: DeserializeOwned>(path: &str, text: &str) -> Result<T, ClientError> {
    serde_json::from_str(text).map_err(|source| ClientError::Misunderstood { path: path.to_owned(), source })
}
