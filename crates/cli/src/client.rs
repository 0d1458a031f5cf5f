//! A client of the HTTP API: of a remote server, or of one in this process.

mod error;
mod follower;
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
pub(crate) use follower::EventFollower;
pub(crate) use message::ReceivedMessage;
pub(crate) use session::{ExecutionView, SessionListPage, SessionRow, SessionView, StageView};

/// The timeout for connecting to a server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A client of a server.
pub(crate) struct ApiClient(ServerConnection);

/// How to reach a server.
enum ServerConnection {
    Remote(RemoteServer),
    InProcess(InProcessServer),
}

struct RemoteServer {
    http: reqwest::Client,
    /// The URL without a trailing slash.
    url: String,
    token: Option<Secret>,
}

/// A request body with its content type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestBody {
    pub(crate) content_type: &'static str,
    pub(crate) text: String,
}

impl ApiClient {
    /// Creates a client of the server at a URL.
    pub(crate) fn remote(server: &str, token: Option<Secret>) -> Result<Self, ClientError> {
        let http = reqwest::Client::builder().connect_timeout(CONNECT_TIMEOUT).build();
        let http = http.map_err(|source| ClientError::Unreachable { server: server.to_owned(), source })?;
        let url = server.trim_end_matches('/').to_owned();
        Ok(Self(ServerConnection::Remote(RemoteServer { http, url, token })))
    }

    /// Creates a client of a server in this process.
    pub(crate) fn in_process(server: InProcessServer) -> Self {
        Self(ServerConnection::InProcess(server))
    }

    /// Sends a GET request and parses the JSON response.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        parse_json(path, &self.get_text(path).await?)
    }

    /// Sends a GET request and returns the body.
    pub(crate) async fn get_text(&self, path: &str) -> Result<String, ClientError> {
        text_of(self.send(request(Method::GET, path, String::new())?).await?).await
    }

    /// Sends a POST request and parses the JSON response.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: RequestBody,
    ) -> Result<T, ClientError> {
        let RequestBody { content_type, text } = body;
        let mut request = request(Method::POST, path, text)?;
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        parse_json(path, &text_of(self.send(request).await?).await?)
    }

    /// Fetches a session with its stages and executions.
    pub(crate) async fn session(&self, session_id: SessionId) -> Result<SessionView, ClientError> {
        self.get(&format!("/api/v1/sessions/{session_id}")).await
    }

    /// Cancels a session.
    pub(crate) async fn cancel(&self, session_id: SessionId) -> Result<SessionView, ClientError> {
        let empty = RequestBody { content_type: "application/json", text: String::new() };
        let path = format!("/api/v1/sessions/{session_id}/cancel");
        let _: serde_json::Value = self.post(&path, empty).await?;
        self.session(session_id).await
    }

    /// Sends a request. A status other than 2xx is an error.
    async fn send(&self, request: Request<String>) -> Result<Response, ClientError> {
        let response = match &self.0 {
            ServerConnection::Remote(server) => server.send(request).await?,
            ServerConnection::InProcess(server) => {
                Response::from(server.send(request).await.map(Body::wrap_stream))
            }
        };
        match response.status().is_success() {
            true => Ok(response),
            false => Err(ClientError::from_response(response).await),
        }
    }
}

impl RemoteServer {
    async fn send(&self, request: Request<String>) -> Result<Response, ClientError> {
        let (parts, body) = request.into_parts();
        let mut builder = self.http.request(parts.method, format!("{}{}", self.url, parts.uri));
        if let Some(token) = &self.token {
            builder = builder.header(AUTHORIZATION, format!("Bearer {}", token.expose()));
        }
        let response = builder.headers(parts.headers).body(body).send().await;
        response.map_err(|source| ClientError::Unreachable { server: self.url.clone(), source })
    }
}

fn request(method: Method, path: &str, body: String) -> Result<Request<String>, ClientError> {
    let built = Request::builder().method(method).uri(path).header(ACCEPT, "application/json").body(body);
    built.map_err(|source| ClientError::InvalidPath { path: path.to_owned(), source })
}

async fn text_of(response: Response) -> Result<String, ClientError> {
    response.text().await.map_err(ClientError::ConnectionLost)
}

fn parse_json<T: DeserializeOwned>(path: &str, text: &str) -> Result<T, ClientError> {
    serde_json::from_str(text)
        .map_err(|source| ClientError::InvalidResponse { path: path.to_owned(), source })
}
