//! Reads request bodies up to a size limit, regardless of `Content-Length`.

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;

use crate::ApiError;

/// Number of bytes of an oversized body that are read and discarded. A client that is still sending does not
/// read the response, and would see a reset connection instead of the error.
const DISCARD_LIMIT: usize = 8 << 20;

/// The size limit of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimit {
    /// The name of the body in the error message.
    pub(crate) what: &'static str,
    /// Maximum number of bytes.
    pub(crate) bytes: usize,
}

impl BodyLimit {
    /// Reads a body completely. Fails with `TooLarge` if it exceeds the limit.
    pub(crate) async fn read(self, mut body: Body) -> Result<Bytes, ApiError> {
        let mut read = Vec::new();
        while let Some(bytes) = next(&mut body).await? {
            if read.len() + bytes.len() > self.bytes {
                discard(body).await;
                return Err(ApiError::TooLarge { what: self.what, limit: self.bytes });
            }
            read.extend_from_slice(&bytes);
        }
        Ok(read.into())
    }
}

async fn next(body: &mut Body) -> Result<Option<Bytes>, ApiError> {
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| ApiError::bad("body", "ended before it was complete"))?;
        if let Ok(bytes) = frame.into_data() {
            return Ok(Some(bytes));
        }
    }
    Ok(None)
}

async fn discard(mut body: Body) {
    let mut left = DISCARD_LIMIT;
    while let Ok(Some(bytes)) = next(&mut body).await {
        let Some(less) = left.checked_sub(bytes.len()) else { return };
        left = less;
    }
}
