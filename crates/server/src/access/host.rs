//! Protection against DNS rebinding for servers without authentication.
//!
//! A page can make its own host name resolve to this machine after it was loaded. The browser then treats the
//! server as part of the page's site and lets the page read responses. Only the `Host` header reveals this.

use std::net::IpAddr;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, header};

use super::AllowedOrigins;
use crate::ApiError;

/// Accepts requests whose `Host` header is a loopback name or a configured host; rejects all others.
pub(super) fn reject_unknown_host(headers: &HeaderMap, origins: &AllowedOrigins) -> Result<(), ApiError> {
    let Some(host) = headers.get(header::HOST) else { return Ok(()) };
    let authority = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
    match authority {
        Some(authority) if is_loopback(authority.host()) || origins.have_host(&authority) => Ok(()),
        Some(_) | None => {
            Err(ApiError::HostNotAllowed(String::from_utf8_lossy(host.as_bytes()).into_owned()))
        }
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    match address {
        Ok(address) => address.is_loopback(),
        Err(_) => host.eq_ignore_ascii_case("localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_loopback_and_configured_hosts() {
        let cases = [
            ("localhost:8080", true),
            ("LOCALHOST", true),
            ("127.0.0.1:8080", true),
            ("127.8.9.1", true),
            ("[::1]:8080", true),
            ("tarsy.example.com", true),
            ("tarsy.example.com:8080", false),
            ("evil.example:8080", false),
            ("localhost.evil.example", false),
            ("127.0.0.1.evil.example", false),
            ("192.0.2.1:8080", false),
            ("", false),
        ];
        let origins = AllowedOrigins::of(["https://tarsy.example.com"]);
        for (host, expected) in cases {
            let headers = HeaderMap::from_iter([(header::HOST, host.parse().unwrap())]);
            assert_eq!(reject_unknown_host(&headers, &origins).is_ok(), expected, "{host}");
        }
        assert!(reject_unknown_host(&HeaderMap::new(), &origins).is_ok());
    }
}
