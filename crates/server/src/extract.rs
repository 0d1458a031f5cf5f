//! Extractors whose errors name the invalid field and the expected value.

use axum::body::Bytes;
use axum::extract::path::ErrorKind;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use serde::de::DeserializeOwned;
use tarsy_domain::Timestamp;

use crate::ApiError;

/// The query parameters. A list is given by repeating its parameter.
pub(crate) struct QueryParams<T>(pub(crate) T);

/// The path parameters.
pub(crate) struct PathParams<T>(pub(crate) T);

/// A JSON body.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for QueryParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        let query = parts.uri.query().unwrap_or_default();
        let reader = serde_html_form::Deserializer::from_bytes(query.as_bytes());
        let read = serde_path_to_error::deserialize(reader).map_err(|error| {
            let path = error.path().to_string();
            let problem = match error.into_inner().to_string() {
                // The text of serde_html_form for a repeated parameter.
                text if text == "unsupported value" => "must be given only once".to_owned(),
                text => text,
            };
            ApiError::bad(path.split('[').next().unwrap_or_default(), problem)
        })?;
        Ok(Self(read))
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for PathParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let read: Result<Path<T>, PathRejection> = Path::from_request_parts(parts, state).await;
        read.map(|Path(read)| Self(read)).map_err(|rejection| path_error(&rejection))
    }
}

#[allow(clippy::wildcard_enum_match_arm, reason = "non-exhaustive enums of axum")]
fn path_error(rejection: &PathRejection) -> ApiError {
    let PathRejection::FailedToDeserializePathParams(failed) = rejection else {
        return ApiError::bad("path", rejection.body_text());
    };
    match failed.kind() {
        ErrorKind::DeserializeError { key, value, message } => {
            ApiError::bad(key, format!("`{value}` is invalid: {message}"))
        }
        ErrorKind::InvalidUtf8InPathParam { key } => ApiError::bad(key, "must be UTF-8"),
        other => ApiError::bad("path", other.to_string()),
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes: Result<Bytes, BytesRejection> = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|rejection| ApiError::from_body(&rejection))?;
        read_json(&bytes).map(Self)
    }
}

/// Returns whether the `Content-Type` header declares JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

/// Parses JSON. The error names the path of the invalid field.
pub(crate) fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { "body".to_owned() } else { path };
        ApiError::BadParameter { field, problem: error.into_inner().to_string() }
    })?;
    reader.end().map_err(|error| ApiError::bad("body", error.to_string()))?;
    Ok(read)
}

/// Parses an RFC 3339 time. The error is a sentence for people.
pub(crate) fn rfc3339(text: &str) -> Result<Timestamp, String> {
    let parsed: Result<jiff::Timestamp, _> = text.parse();
    let invalid = |_| format!("`{text}` is not an RFC 3339 time such as 2026-11-15T00:53:41.568Z");
    parsed.map(|time| Timestamp::from_micros(time.as_microsecond())).map_err(invalid)
}
