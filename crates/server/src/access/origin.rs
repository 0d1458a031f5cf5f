//! The origins whose pages may open a WebSocket and change data.
//!
//! A browser sends its cookies with a WebSocket handshake from any page, and names the page in `Origin`;
//! pages of other origins must therefore be rejected. Programs send no `Origin` and no cookies.

use axum::http::uri::Authority;
use axum::http::{HeaderMap, header};
use tarsy_config::{Config, OriginPattern};

/// The allowed origins.
#[derive(Debug, Clone)]
pub(crate) struct AllowedOrigins(Vec<OriginPattern>);

impl AllowedOrigins {
    /// Reads the allowed origins from the configuration: the dashboard's origin and the listed ones.
    pub(crate) fn new(config: &Config) -> Self {
        let system = config.system();
        let dashboard = system.dashboard_url.as_deref().and_then(origin_of);
        let dashboard = dashboard.and_then(|origin| origin.parse().ok());
        Self(system.allowed_ws_origins.iter().cloned().chain(dashboard).collect())
    }

    /// Returns whether a request has no `Origin`, the origin of this server, or a listed one.
    pub(crate) fn allow(&self, headers: &HeaderMap) -> bool {
        let Some(origin) = headers.get(header::ORIGIN) else { return true };
        let Ok(origin) = origin.to_str() else { return false };
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let own = origin.split_once("://").is_some_and(|(_, authority)| Some(authority) == host);
        own || self.lists(headers)
    }

    /// Returns whether the `Origin` of a request is listed.
    pub(super) fn lists(&self, headers: &HeaderMap) -> bool {
        let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
        origin.is_some_and(|origin| self.0.iter().any(|allowed| allowed.matches(origin)))
    }

    /// Returns whether `host` is the host of a listed origin. Patterns with `*` do not count: they are about pages of other
    /// hosts, not about the names of this server.
    pub(super) fn have_host(&self, host: &Authority) -> bool {
        self.0.iter().any(|allowed| allowed.names_authority(host.as_str()))
    }

    /// Creates a list for a test.
    #[cfg(test)]
    pub(super) fn of<const N: usize>(origins: [&str; N]) -> Self {
        Self(origins.iter().map(|origin| origin.parse().unwrap()).collect())
    }
}

/// `https://tarsy.example.com/path` → `https://tarsy.example.com`.
fn origin_of(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    Some(format!("{scheme}://{authority}"))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn allows_missing_same_and_listed_origins() {
        let allowed = AllowedOrigins::of(["https://tarsy.example.com", "*.apps.example.com", "127.0.0.1:*"]);
        let cases = [
            (None, true),
            (Some("http://localhost:8080"), true),
            (Some("https://tarsy.example.com"), true),
            (Some("https://TARSY.example.com"), true),
            (Some("http://tarsy.example.com"), false),
            (Some("http://localhost:9999"), false),
            (Some("https://evil.example"), false),
            (Some("https://ops.apps.example.com"), true),
            (Some("http://127.0.0.1:5173"), true),
            (Some("https://apps.example.com"), false),
            (Some("https://ops.apps.example.com.evil.example"), false),
            (Some("https://evil.example/.apps.example.com"), false),
            (Some("http://127.0.0.1.evil.example:5173"), false),
            (Some("http://localhost:8080.evil.example"), false),
            (Some("null"), false),
            (Some(""), false),
        ];
        for (origin, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("localhost:8080"));
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            }
            assert_eq!(allowed.allow(&headers), expected, "{origin:?}");
        }
    }

    #[test]
    fn an_origin_has_no_path() {
        assert_eq!(origin_of("https://a.example:1/b?c"), Some("https://a.example:1".to_owned()));
        assert_eq!(origin_of("nothing"), None);
    }
}
