//! Protection against cross-site request forgery.
//!
//! A browser sends its cookies and other ambient credentials with requests from any page, and names the page
//! in `Origin` and `Sec-Fetch-Site`. A request that changes data is rejected if the page has another origin.
//! Programs send neither header and are not affected; neither are tokens in the `Authorization` header, which
//! browsers do not add automatically.

use axum::http::{HeaderMap, HeaderValue, Method, header};

use super::AllowedOrigins;
use crate::ApiError;
use crate::extract::is_json;

const FETCH_SITE: &str = "sec-fetch-site";

/// Accepts safe methods, requests that no browser sent, and JSON from pages of an allowed origin; rejects all
/// others.
pub(super) fn reject_cross_origin(
    method: &Method,
    headers: &HeaderMap,
    origins: &AllowedOrigins,
) -> Result<(), ApiError> {
    if method.is_safe() || !is_from_browser(headers) {
        return Ok(());
    }
    if !is_allowed_page(headers, origins) {
        return Err(ApiError::CrossOriginRequest);
    }
    // Forms need no CORS preflight, and cannot send JSON.
    if headers.contains_key(header::CONTENT_TYPE) && !is_json(headers) {
        return Err(ApiError::bad("Content-Type", "must be `application/json` for requests from a page"));
    }
    Ok(())
}

fn is_from_browser(headers: &HeaderMap) -> bool {
    headers.contains_key(FETCH_SITE) || headers.contains_key(header::ORIGIN)
}

fn is_allowed_page(headers: &HeaderMap, origins: &AllowedOrigins) -> bool {
    match headers.get(FETCH_SITE).map(HeaderValue::as_bytes) {
        // `none`: the user typed the address.
        Some(b"same-origin" | b"none") => true,
        Some(_) => headers.contains_key(header::ORIGIN) && origins.lists(headers),
        None => origins.allow(headers),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    fn checked(method: &Method, sent: &[(&'static str, &'static str)]) -> Result<(), String> {
        let mut headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static("tarsy:8080"))]);
        for (name, value) in sent {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let origins = AllowedOrigins::of(["https://ops.example.com"]);
        reject_cross_origin(method, &headers, &origins).map_err(|error| error.to_string())
    }

    #[test]
    fn rejects_changes_from_pages_of_another_origin() {
        let json = ("content-type", "application/json");
        let own = ("origin", "http://tarsy:8080");
        let foreign = ("origin", "https://evil.example");
        let allowed = ("origin", "https://ops.example.com");
        let cases: [(&[(&str, &str)], bool); 12] = [
            (&[json], true),
            (&[json, own], true),
            (&[json, allowed], true),
            (&[json, foreign], false),
            (&[json, ("origin", "null")], false),
            (&[json, own, ("sec-fetch-site", "same-origin")], true),
            (&[json, allowed, ("sec-fetch-site", "cross-site")], true),
            (&[json, foreign, ("sec-fetch-site", "cross-site")], false),
            // Another port of the same host is the same site and another origin.
            (&[json, foreign, ("sec-fetch-site", "same-site")], false),
            (&[json, own, ("sec-fetch-site", "cross-site")], false),
            (&[json, ("sec-fetch-site", "cross-site")], false),
            (&[json, ("sec-fetch-site", "none")], true),
        ];
        for (sent, expected) in cases {
            assert_eq!(checked(&Method::POST, sent).is_ok(), expected, "{sent:?}");
            assert_eq!(checked(&Method::DELETE, sent).is_ok(), expected, "{sent:?}");
            assert_eq!(checked(&Method::GET, sent), Ok(()), "{sent:?}");
        }
    }

    #[test]
    fn a_page_may_only_send_json() {
        let own = ("sec-fetch-site", "same-origin");
        for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
            let error = checked(&Method::POST, &[own, ("content-type", kind)]).unwrap_err();
            assert_eq!(error, "Content-Type: must be `application/json` for requests from a page");
            assert_eq!(checked(&Method::POST, &[("content-type", kind)]), Ok(()), "no browser: {kind}");
        }
        assert_eq!(checked(&Method::POST, &[own]), Ok(()));
        assert_eq!(
            checked(&Method::POST, &[own, ("content-type", "application/json; charset=utf-8")]),
            Ok(())
        );
    }
}
