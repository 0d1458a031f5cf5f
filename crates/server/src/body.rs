//! Reading a body up to a limit, whatever was said about its length.

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;

use crate::ApiError;

/// How much of a body that is too large is read on and thrown away. A client that is still sending does not listen,
/// and would see a broken connection in place of the answer.
const DISCARDED: usize = 8 << 20;

/// How much is taken of what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimit {
    /// What is too large if the body is.
    pub(crate) what: &'static str,
    /// How many bytes are taken.
    pub(crate) bytes: usize,
}

impl BodyLimit {
    /// Reads all of a body.
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
        let frame = frame.map_err(|_| ApiError::bad("body", "it broke off before its end"))?;
        if let Ok(bytes) = frame.into_data() {
            return Ok(Some(bytes));
        }
    }
    Ok(None)
}

async fn discard(mut body: Body) {
    let mut left = DISCARDED;
    while let Ok(Some(bytes)) = next(&mut body).await {
        let Some(less) = left.checked_sub(bytes.len()) else { return };
        left = less;
    }
}
