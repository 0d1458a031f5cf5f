//! The dashboard's files, embedded in the binary.
//!
//! Files with a hash in their name are cached forever; `index.html` is revalidated on each request. A path
//! that is not a file returns `index.html`, because the dashboard routes its own paths.

use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::ApiError;

// A debug build reads the files from disk on each request, so a rebuilt dashboard needs no new binary.
#[derive(RustEmbed)]
#[folder = "../../dashboard/dist"]
#[allow_missing = true]
struct Dashboard;

const PAGE: &str = "index.html";
const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><title>TARSy</title><h1>This build does not \
     contain the dashboard</h1><p>Run <code>make dashboard</code>, then rebuild the server.</p></html>";

/// Serves the file at the request's path, or `index.html`.
pub(crate) async fn serve_asset(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    if path.starts_with("api/") {
        return ApiError::NoRoute { path: uri.path().to_owned() }.into_response();
    }
    match Dashboard::get(path) {
        Some(file) if path.starts_with("assets/") => {
            file_response(path, file, &headers, "public, max-age=31536000, immutable")
        }
        Some(file) => file_response(path, file, &headers, "no-cache"),
        None if path.starts_with("assets/") => {
            ApiError::NoRoute { path: uri.path().to_owned() }.into_response()
        }
        None => match Dashboard::get(PAGE) {
            Some(page) => file_response(PAGE, page, &headers, "no-cache"),
            None => (StatusCode::NOT_FOUND, Html(NOT_BUILT)).into_response(),
        },
    }
}

fn file_response(path: &str, file: EmbeddedFile, request: &HeaderMap, caching: &'static str) -> Response {
    let tag = entity_tag(&file);
    let unchanged =
        request.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let caching = [(header::ETAG, tag), (header::CACHE_CONTROL, caching.to_owned())];
    if unchanged {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    let kind = HeaderValue::from_str(file.metadata.mimetype())
        .unwrap_or_else(|_| HeaderValue::from_static("application/octet-stream"));
    tracing::debug!(asset.path = path, "serving asset");
    (caching, [(header::CONTENT_TYPE, kind)], file.data.into_owned()).into_response()
}

/// Returns a weak entity tag: the same file is sent with and without compression.
fn entity_tag(file: &EmbeddedFile) -> String {
    let digits = hex::encode(&file.metadata.sha256_hash()[..12]);
    format!("W/\"{digits}\"")
}
