//! By which names a server may be called that asks nobody who they are.
//!
//! A page can let its own name point to this machine once it is loaded. To the browser the server is a part of that page's
//! site then, and whatever it answers may be read. Only the name that was called tells.

use std::net::IpAddr;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, header};

use super::AllowedOrigins;
use crate::ApiError;

/// Lets pass what calls this machine by a name of its own, or by one that is configured.
pub(super) fn refuse_foreign_names(headers: &HeaderMap, origins: &AllowedOrigins) -> Result<(), ApiError> {
    let Some(called) = headers.get(header::HOST) else { return Ok(()) };
    let called = called.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
    match called {
        Some(called) if is_this_machine(called.host()) || origins.have_host(&called) => Ok(()),
        Some(_) | None => Err(ApiError::ForeignName),
    }
}

fn is_this_machine(host: &str) -> bool {
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
    fn only_names_of_this_machine_and_configured_ones_are_answered_to() {
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
            assert_eq!(refuse_foreign_names(&headers, &origins).is_ok(), expected, "{host}");
        }
        assert!(refuse_foreign_names(&HeaderMap::new(), &origins).is_ok());
    }
}
