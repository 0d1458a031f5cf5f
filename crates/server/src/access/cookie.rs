//! The cookie that stores the token of a signed-in browser.
//!
//! It is `HttpOnly` and `SameSite=Strict`. Because the browser sends it automatically, callers that it
//! authenticates are subject to the cross-origin rules of `browser`.

use axum::http::{HeaderMap, header};

const NAME: &str = "tarsy_token";
/// Thirty days. Revoking the token ends the sign-in earlier.
const LIFETIME_S: u32 = 30 * 24 * 3600;

/// Returns the token of the cookie.
pub(super) fn cookie_token(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == NAME).map(|(_, token)| token)
}

/// Returns the `Set-Cookie` value that stores a valid token.
pub(super) fn set(token: &str, request: &HeaderMap) -> String {
    cookie(token, LIFETIME_S, request)
}

/// Returns the `Set-Cookie` value that deletes the token.
pub(crate) fn clear(request: &HeaderMap) -> String {
    cookie("", 0, request)
}

fn cookie(token: &str, lifetime_s: u32, request: &HeaderMap) -> String {
    let secure = if is_https(request) { "; Secure" } else { "" };
    format!("{NAME}={token}; Path=/; Max-Age={lifetime_s}; HttpOnly; SameSite=Strict{secure}")
}

/// Returns whether the page was loaded over HTTPS. A proxy terminates TLS, so only the `Origin` header
/// reveals it.
fn is_https(request: &HeaderMap) -> bool {
    request.get(header::ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https://"))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn with(name: header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn finds_the_token_among_other_cookies() {
        let cases = [
            ("tarsy_token=tarsy_1", Some("tarsy_1")),
            ("a=b; tarsy_token=tarsy_1; c=d", Some("tarsy_1")),
            ("not_tarsy_token=tarsy_1", None),
            ("tarsy_token", None),
            ("", None),
        ];
        for (cookies, expected) in cases {
            assert_eq!(cookie_token(&with(header::COOKIE, cookies)), expected, "{cookies}");
        }
        assert_eq!(cookie_token(&HeaderMap::new()), None);
    }

    #[test]
    fn the_cookie_is_http_only_and_same_site() {
        let plain = set("tarsy_1", &with(header::ORIGIN, "http://localhost:8080"));
        assert_eq!(plain, "tarsy_token=tarsy_1; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict");
        let encrypted = clear(&with(header::ORIGIN, "https://tarsy.example.com"));
        assert_eq!(encrypted, "tarsy_token=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure");
    }
}
