//! The pattern of a browser origin: `https://tarsy.example.com`, `tarsy.example.com`, `*.example.com`,
//! `localhost:*`.
//!
//! Without a scheme, a pattern matches `http` and `https`. Without a port, it matches origins without one, that
//! is the default port of the scheme; browsers omit that port, so `https://h:443` matches `https://h`. `*` is allowed as the whole first label, for any subdomain but not the
//! domain itself, and as the port.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use url::Host;

/// The pattern of an origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OriginPattern {
    /// `http` or `https`; `None` for both.
    scheme: Option<String>,
    /// The host in lower case, without the leading `*`: `.example.com` for `*.example.com`.
    host: String,
    any_subdomain: bool,
    port: PortPattern,
}

/// The port of an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PortPattern {
    /// No port: the default one of the scheme.
    Default,
    Any,
    Exactly(u16),
}

/// The error for a text that is not the pattern of an origin.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "expected an origin such as `https://tarsy.example.com`, or a host pattern such as `tarsy.example.com`, \
     `*.example.com` or `localhost:*`, without a path"
)]
pub struct NotAnOrigin;

impl OriginPattern {
    /// Returns whether an origin, as browsers send it, matches.
    pub fn matches(&self, origin: &str) -> bool {
        let Some((scheme, authority)) = origin.split_once("://") else { return false };
        let is_scheme = match &self.scheme {
            Some(expected) => expected.eq_ignore_ascii_case(scheme),
            None => ["http", "https"].iter().any(|known| known.eq_ignore_ascii_case(scheme)),
        };
        is_scheme && (self.matches_authority(authority) || self.matches_default_port(scheme, authority))
    }

    /// Returns whether the pattern names the default port of the scheme, which browsers omit.
    fn matches_default_port(&self, scheme: &str, host: &str) -> bool {
        let default = if scheme.eq_ignore_ascii_case("https") { 443 } else { 80 };
        let has_no_port = split_port(host).is_some_and(|(_, port)| port.is_none());
        has_no_port
            && self.port == PortPattern::Exactly(default)
            && self.matches_authority(&format!("{host}:{default}"))
    }

    /// Returns whether the pattern names exactly this host and port. A pattern with `*` names none.
    pub fn names_authority(&self, authority: &str) -> bool {
        !self.any_subdomain && self.port != PortPattern::Any && self.matches_authority(authority)
    }

    fn matches_authority(&self, authority: &str) -> bool {
        let Some((host, port)) = split_port(authority) else { return false };
        let host = host.to_ascii_lowercase();
        let is_host = if self.any_subdomain {
            // The origin must be a plain host: anything else may be read differently by another parser.
            host.strip_suffix(&self.host).is_some_and(|sub| !sub.is_empty()) && is_host(&host)
        } else {
            host == self.host
        };
        let is_port = match self.port {
            PortPattern::Default => port.is_none(),
            PortPattern::Any => port.is_none_or(|port| port_number(port).is_some()),
            PortPattern::Exactly(expected) => port.and_then(port_number) == Some(expected),
        };
        is_host && is_port
    }
}

impl FromStr for OriginPattern {
    type Err = NotAnOrigin;

    fn from_str(text: &str) -> Result<Self, NotAnOrigin> {
        let (scheme, authority) = match text.split_once("://") {
            Some((scheme @ ("http" | "https"), authority)) => (Some(scheme.to_owned()), authority),
            Some(_) => return Err(NotAnOrigin),
            None => (None, text),
        };
        let (host, port) = split_port(authority).ok_or(NotAnOrigin)?;
        let port = match port {
            None => PortPattern::Default,
            Some("*") => PortPattern::Any,
            Some(port) => PortPattern::Exactly(port_number(port).ok_or(NotAnOrigin)?),
        };
        let (any_subdomain, named) = match host.strip_prefix("*.") {
            Some(domain) => (true, domain),
            None => (false, host),
        };
        // `*.com` would allow the pages of strangers.
        let is_narrow = !any_subdomain || (named.contains('.') && !named.starts_with('['));
        if !is_host(named) || !is_narrow {
            return Err(NotAnOrigin);
        }
        let dot = if any_subdomain { "." } else { "" };
        Ok(Self { scheme, host: format!("{dot}{}", named.to_ascii_lowercase()), any_subdomain, port })
    }
}

impl fmt::Display for OriginPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = &self.scheme {
            write!(formatter, "{scheme}://")?;
        }
        write!(formatter, "{}{}", if self.any_subdomain { "*" } else { "" }, self.host)?;
        match self.port {
            PortPattern::Default => Ok(()),
            PortPattern::Any => formatter.write_str(":*"),
            PortPattern::Exactly(port) => write!(formatter, ":{port}"),
        }
    }
}

impl TryFrom<String> for OriginPattern {
    type Error = NotAnOrigin;

    fn try_from(text: String) -> Result<Self, NotAnOrigin> {
        text.parse()
    }
}

impl From<OriginPattern> for String {
    fn from(pattern: OriginPattern) -> Self {
        pattern.to_string()
    }
}

/// Splits an authority into host and port. The host of an IPv6 address keeps its brackets.
fn split_port(authority: &str) -> Option<(&str, Option<&str>)> {
    let after_address = authority.rfind(']').map_or(0, |end| end + 1);
    match authority[after_address..].split_once(':') {
        None if after_address == 0 || after_address == authority.len() => Some((authority, None)),
        Some((host, port)) if after_address == 0 || host.is_empty() => {
            Some((&authority[..after_address + host.len()], Some(port)))
        }
        Some(_) | None => None,
    }
}

fn port_number(text: &str) -> Option<u16> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| is_plain)
}

/// Returns whether a text is a host name or an IP address, as an origin contains it.
fn is_host(text: &str) -> bool {
    let is_label = |label: &str| {
        let is_plain = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        !label.is_empty() && is_plain
    };
    let is_address = text.starts_with('[') && Host::parse(text).is_ok();
    is_address || text.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which origins a pattern matches.
    fn check(pattern: &str, matching: &[&str], other: &[&str]) {
        let pattern: OriginPattern = pattern.parse().unwrap();
        assert_eq!(pattern.to_string().parse(), Ok(pattern.clone()));
        for (origins, expected) in [(matching, true), (other, false)] {
            for origin in origins {
                assert_eq!(pattern.matches(origin), expected, "{pattern} {origin}");
            }
        }
    }

    #[test]
    fn a_host_matches_itself_only() {
        let tarsy = "https://tarsy.example.com";
        let other =
            ["http://tarsy.example.com", "https://tarsy.example.com:8443", "https://a.tarsy.example.com"];
        check(tarsy, &[tarsy, "https://TARSY.example.com"], &other);
        let other = [
            "https://tarsy.example.com:80",
            "https://tarsy.example.com.evil.example",
            "ws://tarsy.example.com",
        ];
        check("tarsy.example.com", &[tarsy, "http://tarsy.example.com"], &other);
        check("[::1]:8080", &["http://[::1]:8080"], &["http://[::1]", "http://[::2]:8080"]);
        check("10.0.0.1:80", &["http://10.0.0.1"], &["https://10.0.0.1", "null", ""]);
    }

    #[test]
    fn browsers_omit_the_default_port() {
        let other = ["http://h.example", "https://h.example:8443", "https://h.example.evil.example"];
        check("https://h.example:443", &["https://h.example", "https://h.example:443"], &other);
        check("*.h.example:443", &["https://a.h.example"], &["http://a.h.example", "https://h.example"]);
        check("[::1]:80", &["http://[::1]"], &["https://[::1]", "http://[::2]"]);
    }

    #[test]
    fn a_wildcard_matches_subdomains_or_ports_only() {
        let other = [
            "https://example.com",
            "https://.example.com",
            "https://evilexample.com",
            "https://a.example.com:8443",
            "https://a.example.com.evil.example",
            "https://evil.example/.example.com",
            "https://evil.example#.example.com",
            "https://me@a.example.com",
            "a.example.com",
        ];
        check("*.example.com", &["https://a.example.com", "http://a.b.EXAMPLE.com"], &other);
        let other = ["http://a.example.com:8443", "https://a.example.com"];
        check("https://*.example.com:8443", &["https://a.example.com:8443"], &other);
        let other = [
            "http://localhost:",
            "http://localhost:5173.evil.example",
            "http://localhost.evil.example:80",
            "http://a.localhost:80",
        ];
        let matching = ["http://localhost:5173", "https://localhost:1", "http://localhost"];
        check("localhost:*", &matching, &other);
    }

    #[test]
    fn rejects_texts_that_are_not_patterns() {
        let hosts =
            ["", "*", "*:*", "*.com", "a.*", "te*.example.com", "*example.com", "a b", "a..b", "[::1", "[x]"];
        let others =
            ["*.[::1]", "https://", "https://h/", "https://h/a", "https://h?a", "https://me@h", "ftp://h"];
        let ports = ["h:", "h:0", "h:99999", "h:x"];
        for text in hosts.into_iter().chain(others).chain(ports) {
            assert_eq!(text.parse::<OriginPattern>(), Err(NotAnOrigin), "{text}");
        }
    }

    #[test]
    fn a_wildcard_names_no_host() {
        let names =
            |pattern: &str, host: &str| pattern.parse::<OriginPattern>().unwrap().names_authority(host);
        assert!(names("https://tarsy.example.com:8443", "tarsy.example.com:8443"));
        assert!(names("tarsy.example.com", "TARSY.example.com"));
        assert!(!names("*.example.com", "a.example.com"));
        assert!(!names("tarsy.example.com:*", "tarsy.example.com:80"));
    }
}
