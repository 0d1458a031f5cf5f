//! Fetches the text of a runbook, and checks the target of every redirect.
//!
//! Nothing is cached here.

mod listing;

use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use tarsy_domain::causes_of;
use tokio::time::timeout;
use url::Url;

use super::address::{Address, AllowedHosts, display_url};
use super::fault::{RequestCredentials, RunbookFault};

/// Time limit for a runbook, redirects included.
const TIMEOUT: Duration = Duration::from_secs(10);
const MAX_REDIRECTS: usize = 3;
const MAX_BYTES: usize = 1024 * 1024;
/// GitHub's API returns a file in a JSON envelope unless the raw text is requested.
const ACCEPTED_TYPES: &str = "application/vnd.github.raw, text/markdown, text/plain, */*;q=0.5";

/// Fetches runbooks.
pub(super) struct Fetcher {
    client: Client,
    hosts: AllowedHosts,
    /// The variable of the token, for messages.
    token_variable: String,
    token: Option<HeaderValue>,
    timeout: Duration,
}

/// The response of one hop.
enum Hop {
    Text(String),
    Redirect(Url),
}

impl Fetcher {
    pub(super) fn new(
        hosts: AllowedHosts,
        token_variable: String,
        token: Option<HeaderValue>,
    ) -> Result<Self, reqwest::Error> {
        let client = Client::builder()
            .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
            // Redirects are followed here: each target is checked, and gets the token only if it is a GitHub
            // host.
            .redirect(Policy::none())
            .build()?;
        Ok(Self { client, hosts, token_variable, token, timeout: TIMEOUT })
    }

    /// Checks a URL.
    pub(super) fn admit(&self, url: &Url) -> Result<Address, RunbookFault> {
        self.hosts.admit(url)
    }

    /// Fetches the text, following redirects.
    pub(super) async fn fetch(&self, address: &Address) -> Result<String, RunbookFault> {
        let in_time = timeout(self.timeout, self.follow(address)).await;
        in_time.unwrap_or(Err(RunbookFault::Slow(self.timeout.as_secs())))
    }

    async fn follow(&self, first: &Address) -> Result<String, RunbookFault> {
        let mut hop = self.request_hop(first).await?;
        for _ in 0..MAX_REDIRECTS {
            match hop {
                Hop::Text(text) => return Ok(text),
                Hop::Redirect(url) => {
                    let redirected = |fault| RunbookFault::Redirected {
                        target: display_url(&url),
                        fault: Box::new(fault),
                    };
                    let address = self.admit(&url).map_err(redirected)?;
                    hop = self.request_hop(&address).await.map_err(redirected)?;
                }
            }
        }
        match hop {
            Hop::Text(text) => Ok(text),
            Hop::Redirect(_) => Err(RunbookFault::Redirects(MAX_REDIRECTS)),
        }
    }

    async fn request_hop(&self, address: &Address) -> Result<Hop, RunbookFault> {
        let response = self.request(address).send().await.map_err(|error| connection_fault(&error))?;
        match response.status() {
            StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT => {
                redirect_target(address.url(), response.headers()).map(Hop::Redirect)
            }
            status if status.is_success() => read_body(response).await.map(Hop::Text),
            status => Err(RunbookFault::refused(status, self.credentials(address))),
        }
    }

    fn request(&self, address: &Address) -> RequestBuilder {
        let request = self.client.get(address.url().clone()).header(ACCEPT, ACCEPTED_TYPES);
        match &self.token {
            Some(token) if address.is_github() => request.header(AUTHORIZATION, token.clone()),
            Some(_) | None => request,
        }
    }

    fn credentials(&self, address: &Address) -> RequestCredentials<'_> {
        if address.is_github() { self.github_credentials() } else { RequestCredentials::None }
    }

    fn github_credentials(&self) -> RequestCredentials<'_> {
        match &self.token {
            Some(_) => RequestCredentials::Token(&self.token_variable),
            None => RequestCredentials::MissingToken(&self.token_variable),
        }
    }
}

fn redirect_target(from: &Url, headers: &HeaderMap) -> Result<Url, RunbookFault> {
    let location = header(headers, &LOCATION).ok_or(RunbookFault::InvalidRedirect)?;
    from.join(location).map_err(|_| RunbookFault::InvalidRedirect)
}

async fn read_body(response: Response) -> Result<String, RunbookFault> {
    let content_type = header(response.headers(), &CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
    text_of(&content_type, read_bytes(response, MAX_BYTES).await?)
}

async fn read_bytes(mut response: Response, max_bytes: usize) -> Result<Vec<u8>, RunbookFault> {
    let mut bytes = Vec::new();
    while let Some(more) = response.chunk().await.map_err(|error| connection_fault(&error))? {
        if bytes.len() + more.len() > max_bytes {
            return Err(RunbookFault::Large(max_bytes));
        }
        bytes.extend_from_slice(&more);
    }
    Ok(bytes)
}

/// Returns the text if it can be stored and sent to a model: UTF-8 without NUL, which PostgreSQL rejects.
pub(super) fn text_of(content_type: &str, bytes: Vec<u8>) -> Result<String, RunbookFault> {
    let text = String::from_utf8(bytes).map_err(|_| RunbookFault::NotText)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.contains('\0') {
        return Err(RunbookFault::NotText);
    }
    if text.trim().is_empty() {
        return Err(RunbookFault::Empty);
    }
    if is_web_page(content_type, text) {
        return Err(RunbookFault::WebPage);
    }
    Ok(text.to_owned())
}

/// Returns whether a response is a web page. Markdown may start with an HTML tag, but not with `<html>` or a
/// doctype.
fn is_web_page(content_type: &str, text: &str) -> bool {
    let text = text.trim_start();
    let starts_with =
        |tag: &str| text.get(..tag.len()).is_some_and(|prefix| prefix.eq_ignore_ascii_case(tag));
    let is_declared =
        ["text/html", "application/xhtml+xml"].iter().any(|declared| content_type.starts_with(declared));
    is_declared || starts_with("<!doctype html") || starts_with("<html")
}

fn header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Returns the fault for a failed connection. It contains only the causes, because the error itself contains
/// the URL with its query.
fn connection_fault(error: &reqwest::Error) -> RunbookFault {
    RunbookFault::Connection(causes_of(error))
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    fn fetcher(allowed: &[String], token: Option<&'static str>) -> Fetcher {
        let hosts = AllowedHosts::new(allowed).unwrap();
        Fetcher::new(hosts, "TOKEN".to_owned(), token.map(HeaderValue::from_static)).unwrap()
    }

    fn admitted(fetcher: &Fetcher, address: &str) -> Address {
        fetcher.admit(&Url::parse(address).unwrap()).unwrap()
    }

    #[test]
    fn sends_the_token_only_to_github() {
        let allowed = ["github.com", "api.github.com", "wiki.example.com", "127.0.0.1:80"].map(str::to_owned);
        let fetcher = fetcher(&allowed, Some("Bearer secret"));
        let sent = |address| {
            let request = fetcher.request(&admitted(&fetcher, address)).build().unwrap();
            let host = request.url().host_str().unwrap().to_owned();
            (host, request.headers().contains_key(AUTHORIZATION))
        };
        let expected = |host: &str, is_sent| (host.to_owned(), is_sent);
        let page = sent("https://github.com/o/r/blob/main/a.md");
        assert_eq!(page, expected("raw.githubusercontent.com", true));
        let api = sent("https://api.github.com/repos/o/r/contents/a.md");
        assert_eq!(api, expected("api.github.com", true));
        assert_eq!(sent("https://wiki.example.com/a"), expected("wiki.example.com", false));
        assert_eq!(sent("http://127.0.0.1/a"), expected("127.0.0.1", false));
    }

    #[test]
    fn distinguishes_the_credentials_of_a_request() {
        let allowed = ["github.com", "h"].map(str::to_owned);
        let (with, without) = (fetcher(&allowed, Some("Bearer secret")), fetcher(&allowed, None));
        let page = admitted(&with, "https://github.com/o/r/blob/main/a.md");
        assert_eq!(with.credentials(&page), RequestCredentials::Token("TOKEN"));
        assert_eq!(without.credentials(&page), RequestCredentials::MissingToken("TOKEN"));
        assert_eq!(with.credentials(&admitted(&with, "https://h/a")), RequestCredentials::None);
    }

    #[tokio::test]
    async fn gives_up_on_a_server_that_does_not_respond() {
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = silent.local_addr().unwrap().to_string();
        let fetcher =
            Fetcher { timeout: Duration::from_millis(50), ..fetcher(std::slice::from_ref(&host), None) };
        let fetched = fetcher.fetch(&admitted(&fetcher, &format!("http://{host}/a"))).await;
        assert_eq!(fetched, Err(RunbookFault::Slow(0)));
    }

    #[test]
    fn accepts_only_text() {
        let cases: [(&str, &[u8], Result<&str, RunbookFault>); 11] = [
            ("text/plain", b"# Restart\n", Ok("# Restart\n")),
            ("", "\u{feff}größer".as_bytes(), Ok("größer")),
            ("application/octet-stream", b"- step", Ok("- step")),
            ("text/markdown", b"<h1>Restart</h1>", Ok("<h1>Restart</h1>")),
            ("text/plain", b" \n", Err(RunbookFault::Empty)),
            ("text/plain", b"\xff\xfe", Err(RunbookFault::NotText)),
            ("text/plain", b"a\0b", Err(RunbookFault::NotText)),
            ("text/html; charset=utf-8", b"Sign in", Err(RunbookFault::WebPage)),
            ("application/xhtml+xml", b"<x/>", Err(RunbookFault::WebPage)),
            ("text/plain", b"\n<!DOCTYPE html><title>Sign in</title>", Err(RunbookFault::WebPage)),
            ("text/plain", b"<HTML><body>", Err(RunbookFault::WebPage)),
        ];
        for (content_type, bytes, expected) in cases {
            let text = text_of(content_type, bytes.to_vec());
            assert_eq!(text, expected.map(str::to_owned), "{content_type}");
        }
    }

    #[test]
    fn a_redirect_may_be_relative() {
        let from = Url::parse("https://h/a/b").unwrap();
        for (location, expected) in [
            ("/c", Ok("https://h/c")),
            ("c?d", Ok("https://h/a/c?d")),
            ("//other/c", Ok("https://other/c")),
            ("https://:80", Err(RunbookFault::InvalidRedirect)),
        ] {
            let headers = HeaderMap::from_iter([(LOCATION, HeaderValue::from_static(location))]);
            let url = redirect_target(&from, &headers);
            assert_eq!(url.as_ref().map(Url::as_str), expected.as_ref().copied(), "{location}");
        }
        assert_eq!(redirect_target(&from, &HeaderMap::new()), Err(RunbookFault::InvalidRedirect));
    }
}
