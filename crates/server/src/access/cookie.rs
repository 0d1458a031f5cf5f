//! The cookie in which a browser keeps the token of whoever signed in.
//!
//! Scripts cannot read it, and no page of another site makes the browser send it. A browser sends it by itself all the
//! same, so whoever is known by it is held to the rules for pages.

use axum::http::{HeaderMap, header};

const NAME: &str = "tarsy_token";
/// Thirty days; a token that is revoked before ends it too.
const LIFETIME_S: u32 = 30 * 24 * 3600;

/// The token that a browser kept.
pub(super) fn kept_token(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == NAME).map(|(_, token)| token)
}

/// Lets a browser keep a token, which is known to be one of ours.
pub(super) fn keep(token: &str, request: &HeaderMap) -> String {
    cookie(token, LIFETIME_S, request)
}

/// Lets a browser forget its token.
pub(crate) fn forget(request: &HeaderMap) -> String {
    cookie("", 0, request)
}

fn cookie(token: &str, lifetime_s: u32, request: &HeaderMap) -> String {
    let only_encrypted = if is_encrypted(request) { "; Secure" } else { "" };
    format!("{NAME}={token}; Path=/; Max-Age={lifetime_s}; HttpOnly; SameSite=Strict{only_encrypted}")
}

/// Encryption ends before us, so only the page that asks knows whether it is there.
fn is_encrypted(request: &HeaderMap) -> bool {
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
    fn the_token_is_found_among_other_cookies() {
        let cases = [
            ("tarsy_token=tarsy_1", Some("tarsy_1")),
            ("a=b; tarsy_token=tarsy_1; c=d", Some("tarsy_1")),
            ("not_tarsy_token=tarsy_1", None),
            ("tarsy_token", None),
            ("", None),
        ];
        for (cookies, expected) in cases {
            assert_eq!(kept_token(&with(header::COOKIE, cookies)), expected, "{cookies}");
        }
        assert_eq!(kept_token(&HeaderMap::new()), None);
    }

    #[test]
    fn a_cookie_is_out_of_reach_for_scripts_and_other_sites() {
        let plain = keep("tarsy_1", &with(header::ORIGIN, "http://localhost:8080"));
        assert_eq!(plain, "tarsy_token=tarsy_1; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict");
        let encrypted = forget(&with(header::ORIGIN, "https://tarsy.example.com"));
        assert_eq!(encrypted, "tarsy_token=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure");
    }
}
