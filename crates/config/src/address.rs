//! What an address, an origin and the name of a host must look like.
//!
//! The messages say what would be right and never show the text: addresses carry logins and tokens. Whether
//! anybody listens there is not asked.

use url::{Host, Url};

use crate::expand::with_any_session;

/// Checks an address that is reached by HTTP; `{{.SESSION_ID}}` may stand in it.
pub(crate) fn http_url(text: &str) -> Result<(), String> {
    parse(&with_any_session(text)).map(|_| ())
}

/// Checks who may speak to us, as a browser says it: an address without a path.
pub(crate) fn origin(text: &str) -> Result<(), String> {
    let url = parse(text)?;
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    if is_bare && url.username().is_empty() && !text.ends_with('/') {
        return Ok(());
    }
    Err("expected an origin such as `https://tarsy.example.com`, without a path".to_owned())
}

/// Checks the name of a host that stands alone, or with a port.
pub(crate) fn host(text: &str) -> Result<(), String> {
    let is_plain = |label: &str| {
        let ends = label.starts_with('-') || label.ends_with('-');
        !label.is_empty() && !ends && label.chars().all(|char| char.is_alphanumeric() || char == '-')
    };
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    let (host, port) = text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)));
    match Host::parse(host) {
        Ok(_) if host.split('.').all(is_plain) && port.is_none_or(is_port) => Ok(()),
        Ok(_) | Err(_) => {
            let example = "`github.com` or `wiki.example.com:8443`";
            Err(format!("expected the name of a host such as {example}, without `https://` or path"))
        }
    }
}

fn parse(text: &str) -> Result<Url, String> {
    if !["http://", "https://"].iter().any(|scheme| text.starts_with(scheme)) {
        return Err("an address begins with `http://` or `https://`".to_owned());
    }
    // The parser would quietly encode a blank or drop a line break.
    if text.contains(|char: char| char.is_whitespace() || char.is_control()) {
        return Err("an address has no blanks in it".to_owned());
    }
    Url::parse(text).map_err(|error| format!("not an address: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed() {
        for text in ["http://h", "https://me:x@h:8080/a/{{ .SESSION_ID }}?b=c#d", "http://[::1]:80/"] {
            assert_eq!(http_url(text), Ok(()), "{text}");
        }
        let cases = [
            ("localhost:8080", "an address begins with `http://` or `https://`"),
            ("ftp://h", "an address begins with `http://` or `https://`"),
            ("http://h/x y", "an address has no blanks in it"),
            ("http://h:99999", "not an address: invalid port number"),
            ("http://", "not an address: empty host"),
            ("http://me:pa/ss@h", "not an address: invalid port number"),
        ];
        for (text, message) in cases {
            assert_eq!(http_url(text), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn an_origin_has_no_path() {
        assert_eq!(origin("https://h:8080"), Ok(()));
        for text in ["h", "https://h/", "https://h/a", "https://h?a", "https://me@h"] {
            assert!(origin(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_host_stands_alone() {
        for text in ["github.com", "localhost", "10.0.0.1", "bücher.example", "x:80", "127.0.0.1:8080"] {
            assert_eq!(host(text), Ok(()), "{text}");
        }
        for text in
            ["http://x", "x/y", "*.x", "a b", "a..b", "-", "x:", "x:y", "x:0", "x:99999", "x:80:80", ":80"]
        {
            assert!(host(text).is_err(), "{text}");
        }
    }
}
