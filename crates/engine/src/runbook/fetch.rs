//! Fetches a text from an address that was checked, and follows where it leads by the same rules.
//!
//! It does not remember anything; asking twice makes two requests.

use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use tarsy_domain::causes_of;
use tokio::time::timeout;
use url::Url;

use super::address::{Address, AllowedHosts, shown};
use super::fault::{Asked, Fault};

/// How long all of it may take.
const PATIENCE: Duration = Duration::from_secs(10);
const MOST_REDIRECTS: usize = 3;
const MOST_BYTES: usize = 1024 * 1024;
/// GitHub's API gives a file in an envelope unless it is asked for the raw text.
const TEXTS: &str = "application/vnd.github.raw, text/markdown, text/plain, */*;q=0.5";

/// Fetches runbooks.
pub(super) struct Fetcher {
    client: Client,
    hosts: AllowedHosts,
    /// Where the token comes from, for those who wonder why they are refused.
    token_variable: String,
    token: Option<HeaderValue>,
    patience: Duration,
}

/// What a server answers.
enum Answer {
    Text(String),
    Elsewhere(Url),
}

impl Fetcher {
    pub(super) fn new(
        hosts: AllowedHosts,
        token_variable: String,
        token: Option<HeaderValue>,
    ) -> Result<Self, reqwest::Error> {
        let client = Client::builder()
            .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
            // Each hop is checked here, and gets the token or not by its own host.
            .redirect(Policy::none())
            .build()?;
        Ok(Self { client, hosts, token_variable, token, patience: PATIENCE })
    }

    /// The address that gives the text, if it may be fetched from there.
    pub(super) fn admit(&self, url: &Url) -> Result<Address, Fault> {
        self.hosts.admit(url)
    }

    /// The text at an address, or where that leads.
    pub(super) async fn fetch(&self, address: &Address) -> Result<String, Fault> {
        let in_time = timeout(self.patience, self.follow(address)).await;
        in_time.unwrap_or(Err(Fault::Slow(self.patience.as_secs())))
    }

    async fn follow(&self, first: &Address) -> Result<String, Fault> {
        let mut hop = self.ask(first).await?;
        for _ in 0..MOST_REDIRECTS {
            match hop {
                Answer::Text(text) => return Ok(text),
                Answer::Elsewhere(url) => {
                    let behind = |fault| Fault::Behind { place: shown(&url), fault: Box::new(fault) };
                    let address = self.admit(&url).map_err(behind)?;
                    hop = self.ask(&address).await.map_err(behind)?;
                }
            }
        }
        match hop {
            Answer::Text(text) => Ok(text),
            Answer::Elsewhere(_) => Err(Fault::Redirects(MOST_REDIRECTS)),
        }
    }

    async fn ask(&self, address: &Address) -> Result<Answer, Fault> {
        let response = self.request(address).send().await.map_err(|error| broken(&error))?;
        match response.status() {
            StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT => {
                elsewhere(address.url(), response.headers()).map(Answer::Elsewhere)
            }
            status if status.is_success() => read(response).await.map(Answer::Text),
            status => Err(Fault::refused(status, self.asked(address))),
        }
    }

    fn request(&self, address: &Address) -> RequestBuilder {
        let request = self.client.get(address.url().clone()).header(ACCEPT, TEXTS);
        match &self.token {
            Some(token) if address.is_github() => request.header(AUTHORIZATION, token.clone()),
            Some(_) | None => request,
        }
    }

    fn asked(&self, address: &Address) -> Asked<'_> {
        match &self.token {
            _ if !address.is_github() => Asked::Openly,
            Some(_) => Asked::WithToken(&self.token_variable),
            None => Asked::WithoutToken(&self.token_variable),
        }
    }
}

fn elsewhere(from: &Url, headers: &HeaderMap) -> Result<Url, Fault> {
    let location = header(headers, &LOCATION).ok_or(Fault::Nowhere)?;
    from.join(location).map_err(|_| Fault::Nowhere)
}

async fn read(mut response: Response) -> Result<String, Fault> {
    let content_type = header(response.headers(), &CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
    let mut bytes = Vec::new();
    while let Some(more) = response.chunk().await.map_err(|error| broken(&error))? {
        if bytes.len() + more.len() > MOST_BYTES {
            return Err(Fault::Large(MOST_BYTES));
        }
        bytes.extend_from_slice(&more);
    }
    text_of(&content_type, bytes)
}

/// A text that can be stored and shown to a model: UTF-8 without NUL, which PostgreSQL does not take.
fn text_of(content_type: &str, bytes: Vec<u8>) -> Result<String, Fault> {
    let text = String::from_utf8(bytes).map_err(|_| Fault::NotText)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.contains('\0') {
        return Err(Fault::NotText);
    }
    if text.trim().is_empty() {
        return Err(Fault::Empty);
    }
    if is_web_page(content_type, text) {
        return Err(Fault::WebPage);
    }
    Ok(text.to_owned())
}

/// Markdown may begin with a tag, but not with that of a whole page.
fn is_web_page(content_type: &str, text: &str) -> bool {
    let text = text.trim_start();
    let begins = |mark: &str| text.get(..mark.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(mark));
    let is_declared =
        ["text/html", "application/xhtml+xml"].iter().any(|declared| content_type.starts_with(declared));
    is_declared || begins("<!doctype html") || begins("<html")
}

fn header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// The causes only: the error itself would show the address with its query.
fn broken(error: &reqwest::Error) -> Fault {
    Fault::Connection(causes_of(error))
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
    fn the_token_goes_to_github_and_nowhere_else() {
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
    fn a_refusal_knows_how_the_server_was_asked() {
        let allowed = ["github.com", "h"].map(str::to_owned);
        let (with, without) = (fetcher(&allowed, Some("Bearer secret")), fetcher(&allowed, None));
        let page = admitted(&with, "https://github.com/o/r/blob/main/a.md");
        assert_eq!(with.asked(&page), Asked::WithToken("TOKEN"));
        assert_eq!(without.asked(&page), Asked::WithoutToken("TOKEN"));
        assert_eq!(with.asked(&admitted(&with, "https://h/a")), Asked::Openly);
    }

    #[tokio::test]
    async fn a_server_that_says_nothing_is_given_up() {
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = silent.local_addr().unwrap().to_string();
        let fetcher =
            Fetcher { patience: Duration::from_millis(50), ..fetcher(std::slice::from_ref(&host), None) };
        let fetched = fetcher.fetch(&admitted(&fetcher, &format!("http://{host}/a"))).await;
        assert_eq!(fetched, Err(Fault::Slow(0)));
    }

    #[test]
    fn only_texts_are_read() {
        let cases: [(&str, &[u8], Result<&str, Fault>); 11] = [
            ("text/plain", b"# Restart\n", Ok("# Restart\n")),
            ("", "\u{feff}größer".as_bytes(), Ok("größer")),
            ("application/octet-stream", b"- step", Ok("- step")),
            ("text/markdown", b"<h1>Restart</h1>", Ok("<h1>Restart</h1>")),
            ("text/plain", b" \n", Err(Fault::Empty)),
            ("text/plain", b"\xff\xfe", Err(Fault::NotText)),
            ("text/plain", b"a\0b", Err(Fault::NotText)),
            ("text/html; charset=utf-8", b"Sign in", Err(Fault::WebPage)),
            ("application/xhtml+xml", b"<x/>", Err(Fault::WebPage)),
            ("text/plain", b"\n<!DOCTYPE html><title>Sign in</title>", Err(Fault::WebPage)),
            ("text/plain", b"<HTML><body>", Err(Fault::WebPage)),
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
            ("https://:80", Err(Fault::Nowhere)),
        ] {
            let headers = HeaderMap::from_iter([(LOCATION, HeaderValue::from_static(location))]);
            let url = elsewhere(&from, &headers);
            assert_eq!(url.as_ref().map(Url::as_str), expected.as_ref().copied(), "{location}");
        }
        assert_eq!(elsewhere(&from, &HeaderMap::new()), Err(Fault::Nowhere));
    }
}
