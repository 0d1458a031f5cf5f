//! The addresses that runbooks may be fetched from: checks URLs and converts GitHub pages to raw files. Pure.
//!
//! Only this module creates an [`Address`], so every `Address` is allowed. The IP address of a host is not
//! checked: an allowed host is trusted.

use url::{Host, Url};

use super::RunbooksError;
use super::fault::RunbookFault;
use super::repository::FOLDER_SCHEME;

const GITHUB: &str = "github.com";
/// The host of GitHub's raw files.
const RAW: &str = "raw.githubusercontent.com";
/// The hosts that get the GitHub token.
const GITHUB_HOSTS: [&str; 3] = [GITHUB, RAW, "api.github.com"];
/// The default port of `https`.
const HTTPS_PORT: u16 = 443;
/// Maximum length of a displayed URL, in bytes.
const MAX_DISPLAY_BYTES: usize = 300;

/// The `runbook` field of an alert.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RunbookSource<'a> {
    Nothing,
    Text(&'a str),
    Url(&'a str),
    /// A path below the folder with runbooks.
    File(&'a str),
}

impl<'a> RunbookSource<'a> {
    /// Parses the field. A URL has no whitespace in it and a reference to a file no line break; a text may start
    /// with either.
    pub(super) fn parse(named: Option<&'a str>) -> Self {
        let text = named.unwrap_or_default();
        let trimmed = text.trim();
        let has_scheme = |scheme: &str| {
            trimmed.get(..scheme.len()).is_some_and(|prefix| prefix.eq_ignore_ascii_case(scheme))
        };
        if trimmed.is_empty() {
            Self::Nothing
        } else if (has_scheme("https://") || has_scheme("http://")) && !trimmed.contains(char::is_whitespace)
        {
            Self::Url(trimmed)
        } else if has_scheme(FOLDER_SCHEME) && !trimmed.contains(char::is_control) {
            Self::File(&trimmed[FOLDER_SCHEME.len()..])
        } else {
            Self::Text(text)
        }
    }
}

/// A URL from which the text of a runbook may be fetched.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Address {
    url: Url,
}

impl Address {
    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// Returns whether the GitHub token may be sent to this address.
    pub(super) fn is_github(&self) -> bool {
        is_at(&self.url, &GITHUB_HOSTS)
    }
}

/// The hosts that runbooks may be fetched from.
#[derive(Debug)]
pub(super) struct AllowedHosts {
    hosts: Vec<AllowedHost>,
}

#[derive(Debug)]
struct AllowedHost {
    host: Host,
    /// `None` for the default port of `https`.
    port: Option<u16>,
}

impl AllowedHosts {
    /// Parses a list of hosts with optional ports.
    pub(super) fn new(entries: &[String]) -> Result<Self, RunbooksError> {
        let parse =
            |entry: &String| AllowedHost::parse(entry).ok_or_else(|| RunbooksError::Host(entry.clone()));
        Ok(Self { hosts: entries.iter().map(parse).collect::<Result<_, _>>()? })
    }

    /// Checks the URL of an alert or of a redirect.
    pub(super) fn admit(&self, url: &Url) -> Result<Address, RunbookFault> {
        self.check(url)?;
        // `github.com` in the list also allows the raw host that its pages are converted to.
        let mut url = if is_at(url, &[GITHUB]) { raw_file(url)? } else { url.clone() };
        url.set_fragment(None);
        Ok(Address { url })
    }

    fn check(&self, url: &Url) -> Result<(), RunbookFault> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err(RunbookFault::Login);
        }
        let scheme = || RunbookFault::Scheme(url.scheme().to_owned());
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(scheme());
        };
        let host = host.to_owned();
        let of_host: Vec<_> = self.hosts.iter().filter(|allowed| allowed.host == host).collect();
        if of_host.is_empty() {
            return Err(RunbookFault::Host { host: host.to_string(), allowed: self.names() });
        }
        let is_secure = url.scheme() == "https";
        let may_be_plain = url.scheme() == "http" && is_loopback(&host);
        if !is_secure && !may_be_plain {
            return Err(scheme());
        }
        let accepts = |allowed: &&AllowedHost| match allowed.port {
            Some(listed) => listed == port,
            None => is_secure && port == HTTPS_PORT,
        };
        let is_listed = of_host.iter().any(accepts);
        if is_listed { Ok(()) } else { Err(RunbookFault::Port { host: host.to_string(), port }) }
    }

    fn names(&self) -> String {
        let names: Vec<_> = self.hosts.iter().map(|allowed| format!("`{}`", allowed.name())).collect();
        if names.is_empty() { "no hosts".to_owned() } else { names.join(", ") }
    }
}

impl AllowedHost {
    fn parse(entry: &str) -> Option<Self> {
        let (host, port) = match entry.rsplit_once(':') {
            Some((host, port)) => (host, Some(port.parse().ok()?)),
            None => (entry, None),
        };
        Some(Self { host: Host::parse(host).ok()?, port })
    }

    fn name(&self) -> String {
        match self.port {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host.to_string(),
        }
    }
}

/// Returns a URL for people: without login, query and fragment, which may contain credentials.
pub(super) fn display_url(url: &Url) -> String {
    let host = url.host().map_or_else(String::new, |host| format!("//{host}"));
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    let mut text = format!("{}:{host}{port}{}", url.scheme(), url.path());
    if text.len() > MAX_DISPLAY_BYTES {
        text.truncate(text.floor_char_boundary(MAX_DISPLAY_BYTES));
        text.push('…');
    }
    text
}

fn is_at(url: &Url, hosts: &[&str]) -> bool {
    url.scheme() == "https"
        && url.port().is_none()
        && url.host_str().is_some_and(|host| hosts.contains(&host))
}

fn is_loopback(host: &Host) -> bool {
    match host {
        Host::Domain(name) => name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

/// Returns the raw URL of the file that a GitHub page shows.
///
/// If a branch name contains a slash, the URL does not show where the path starts. GitHub resolves that:
/// branch and path are passed on unchanged.
fn raw_file(page: &Url) -> Result<Url, RunbookFault> {
    let segments: Vec<&str> = page.path_segments().into_iter().flatten().collect();
    let [owner, repository, kind, file @ ..] = segments.as_slice() else {
        return Err(RunbookFault::NotAFile);
    };
    match *kind {
        "tree" => Err(RunbookFault::Folder),
        "blob" | "raw" if file.len() >= 2 && !segments.contains(&"") => {
            let raw = format!("https://{RAW}/{owner}/{repository}/{}", file.join("/"));
            Url::parse(&raw).map_err(RunbookFault::NotAnAddress)
        }
        _ => Err(RunbookFault::NotAFile),
    }
}

#[cfg(test)]
mod tests;
