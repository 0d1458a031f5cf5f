//! Reading requests: a fault names the place in the request and says what would be right.

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::ApiError;

/// The parameters behind the question mark.
pub(crate) struct Parameters<T>(pub(crate) T);

/// A part of the address, such as an id.
pub(crate) struct InPath<T>(pub(crate) T);

/// A JSON body.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let read: Result<Query<T>, QueryRejection> = Query::from_request_parts(parts, state).await;
        let Query(read) = read.map_err(|wrong| ApiError::bad("query", wrong.body_text()))?;
        Ok(Self(read))
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for InPath<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let read: Result<Path<T>, PathRejection> = Path::from_request_parts(parts, state).await;
        let Path(read) = read.map_err(|wrong| ApiError::bad("path", wrong.body_text()))?;
        Ok(Self(read))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes: Result<Bytes, BytesRejection> = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|wrong| ApiError::from_body(&wrong))?;
        read_json(&bytes).map(Self)
    }
}

/// Reads JSON; a fault is told with the path of the field.
pub(crate) fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|wrong| {
        let path = wrong.path().to_string();
        let field = if path == "." { "body".to_owned() } else { path };
        ApiError::BadParameter { field, problem: wrong.into_inner().to_string() }
    })?;
    reader.end().map_err(|wrong| ApiError::bad("body", wrong.to_string()))?;
    Ok(read)
}
