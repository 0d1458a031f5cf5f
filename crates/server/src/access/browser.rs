//! What a browser is asked to send by a page that is not ours.
//!
//! A browser sends its cookies, and whatever it is known by, along with what any page wants to be sent. It also says which
//! page that was. A request that changes something is refused if it was one of another origin. Programs say no such
//! thing and are not concerned; neither are tokens, which no browser sends by itself.

use axum::http::{HeaderMap, HeaderValue, Method, header};

use super::AllowedOrigins;
use crate::ApiError;
use crate::extract::is_json;

const FETCH_SITE: &str = "sec-fetch-site";

/// Lets pass what only reads, what no browser sends, and what a page of ours sends as JSON.
pub(super) fn refuse_foreign_pages(
    method: &Method,
    headers: &HeaderMap,
    origins: &AllowedOrigins,
) -> Result<(), ApiError> {
    if method.is_safe() || !is_from_browser(headers) {
        return Ok(());
    }
    if !is_own_page(headers, origins) {
        return Err(ApiError::ForeignPage);
    }
    // Forms, which need nobody's leave to be sent anywhere, cannot send JSON.
    if headers.contains_key(header::CONTENT_TYPE) && !is_json(headers) {
        return Err(ApiError::bad("Content-Type", "pages send `application/json` here, and nothing else"));
    }
    Ok(())
}

fn is_from_browser(headers: &HeaderMap) -> bool {
    headers.contains_key(FETCH_SITE) || headers.contains_key(header::ORIGIN)
}

fn is_own_page(headers: &HeaderMap, origins: &AllowedOrigins) -> bool {
    match headers.get(FETCH_SITE).map(HeaderValue::as_bytes) {
        // `none` is the person themselves, who typed the address.
        Some(b"same-origin" | b"none") => true,
        Some(_) => headers.contains_key(header::ORIGIN) && origins.name(headers),
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
        refuse_foreign_pages(method, &headers, &origins).map_err(|error| error.to_string())
    }

    #[test]
    fn a_page_of_another_origin_changes_nothing() {
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
            // Another port of the same machine is the same site and another origin.
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
    fn a_page_sends_json_or_nothing() {
        let own = ("sec-fetch-site", "same-origin");
        for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
            let told = checked(&Method::POST, &[own, ("content-type", kind)]).unwrap_err();
            assert_eq!(told, "Content-Type: pages send `application/json` here, and nothing else");
            assert_eq!(checked(&Method::POST, &[("content-type", kind)]), Ok(()), "no browser: {kind}");
        }
        assert_eq!(checked(&Method::POST, &[own]), Ok(()));
        assert_eq!(
            checked(&Method::POST, &[own, ("content-type", "application/json; charset=utf-8")]),
            Ok(())
        );
    }
}
