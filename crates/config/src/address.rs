//! Validation of HTTP URLs and host names.
//!
//! The messages never contain the text, because URLs can contain credentials. No connection is made.

use url::{Host, Url};

use crate::expand::with_sample_session;

/// Validates an HTTP URL, which can contain `{{.SESSION_ID}}`.
pub(crate) fn http_url(text: &str) -> Result<(), String> {
    parse(&with_sample_session(text)).map(|_| ())
}

/// Validates the location of a repository: an HTTP URL, or the path of a folder that starts with `/` or `.`.
pub(crate) fn repository(text: &str) -> Result<(), String> {
    if text.starts_with('/') || text.starts_with('.') {
        return Ok(());
    }
    let url =
        parse(text).map_err(|error| format!("{error}; the path of a folder must start with `/` or `./`"))?;
    // The dashboard shows the URL to everyone who may submit alerts.
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        return Err("the URL of a repository must not contain a login or a query; set the token in the \
                    variable `system.github.token_env`"
            .to_owned());
    }
    Ok(())
}

/// Validates a host name, optionally with a port.
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
            Err(format!("expected a host name such as {example}, without `https://` or a path"))
        }
    }
}

fn parse(text: &str) -> Result<Url, String> {
    if !["http://", "https://"].iter().any(|scheme| text.starts_with(scheme)) {
        return Err("a URL must start with `http://` or `https://`".to_owned());
    }
    // The parser would silently encode a space or drop a line break.
    if text.contains(|char: char| char.is_whitespace() || char.is_control()) {
        return Err("a URL must not contain spaces".to_owned());
    }
    Url::parse(text).map_err(|error| format!("invalid URL: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validates_http_urls() {
        for text in ["http://h", "https://me:x@h:8080/a/{{ .SESSION_ID }}?b=c#d", "http://[::1]:80/"] {
            assert_eq!(http_url(text), Ok(()), "{text}");
        }
        let cases = [
            ("localhost:8080", "a URL must start with `http://` or `https://`"),
            ("ftp://h", "a URL must start with `http://` or `https://`"),
            ("http://h/x y", "a URL must not contain spaces"),
            ("http://h:99999", "invalid URL: invalid port number"),
            ("http://", "invalid URL: empty host"),
            ("http://me:pa/ss@h", "invalid URL: invalid port number"),
        ];
        for (text, message) in cases {
            assert_eq!(http_url(text), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn the_url_of_a_repository_has_no_credentials() {
        for text in
            ["https://github.com/o/r", "https://github.com/o/r/tree/main/a%20b", "/srv/books", "./books"]
        {
            assert_eq!(repository(text), Ok(()), "{text}");
        }
        for text in
            ["https://me:PLANTED@github.com/o/r", "https://PLANTED@h/o/r", "https://h/o/r?token=PLANTED"]
        {
            let error = repository(text).unwrap_err();
            assert!(error.contains("login or a query") && !error.contains("PLANTED"), "{error}");
        }
    }

    #[test]
    fn a_host_has_no_scheme_and_no_path() {
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
