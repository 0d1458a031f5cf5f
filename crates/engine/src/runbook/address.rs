//! Where a runbook may come from: an address is checked, and a page of GitHub becomes the file behind it.
//!
//! All of it is decided here without asking anybody. Nothing else makes an [`Address`], so whoever has one need not check
//! it again. What a name of a host resolves to is not looked at: a listed host is trusted.

use url::{Host, Url};

use super::RunbooksError;
use super::fault::Fault;

const GITHUB: &str = "github.com";
/// Where GitHub gives files as they are.
const RAW: &str = "raw.githubusercontent.com";
/// The hosts that the token for GitHub is sent to.
const GITHUB_HOSTS: [&str; 3] = [GITHUB, RAW, "api.github.com"];
/// The port of `https`.
const HTTPS: u16 = 443;
/// How much of an address is shown.
const SHOWN: usize = 300;

/// What somebody named as the runbook of an alert.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Named<'a> {
    Nothing,
    Text(&'a str),
    Address(&'a str),
}

impl<'a> Named<'a> {
    /// A text may well begin with an address; an address stands alone.
    pub(super) fn read(named: Option<&'a str>) -> Self {
        let text = named.unwrap_or_default();
        let word = text.trim();
        let begins =
            |scheme: &str| word.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme));
        if word.is_empty() {
            Self::Nothing
        } else if (begins("https://") || begins("http://")) && !word.contains(char::is_whitespace) {
            Self::Address(word)
        } else {
            Self::Text(text)
        }
    }
}

/// An address that a runbook may be fetched from, and that gives its text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Address {
    url: Url,
}

impl Address {
    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// Whether the token for GitHub may be sent there.
    pub(super) fn is_github(&self) -> bool {
        is_at(&self.url, &GITHUB_HOSTS)
    }
}

/// The hosts that runbooks may come from.
#[derive(Debug)]
pub(super) struct AllowedHosts {
    hosts: Vec<AllowedHost>,
}

#[derive(Debug)]
struct AllowedHost {
    host: Host,
    /// None for that of `https`.
    port: Option<u16>,
}

impl AllowedHosts {
    /// Reads a list of hosts, each with or without a port.
    pub(super) fn new(entries: &[String]) -> Result<Self, RunbooksError> {
        let read =
            |entry: &String| AllowedHost::read(entry).ok_or_else(|| RunbooksError::Host(entry.clone()));
        Ok(Self { hosts: entries.iter().map(read).collect::<Result<_, _>>()? })
    }

    /// Checks an address that somebody has named, or that a server sends on to.
    pub(super) fn admit(&self, url: &Url) -> Result<Address, Fault> {
        self.check(url)?;
        // The raw form of a page is ours, so a list that has only `github.com` is enough for it.
        let mut url = if is_at(url, &[GITHUB]) { file_behind(url)? } else { url.clone() };
        url.set_fragment(None);
        Ok(Address { url })
    }

    fn check(&self, url: &Url) -> Result<(), Fault> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Fault::Login);
        }
        let scheme = || Fault::Scheme(url.scheme().to_owned());
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(scheme());
        };
        let host = host.to_owned();
        let of_host: Vec<_> = self.hosts.iter().filter(|allowed| allowed.host == host).collect();
        if of_host.is_empty() {
            return Err(Fault::Host { host: host.to_string(), allowed: self.names() });
        }
        let is_secure = url.scheme() == "https";
        let may_be_plain = url.scheme() == "http" && is_loopback(&host);
        if !is_secure && !may_be_plain {
            return Err(scheme());
        }
        let takes = |allowed: &&AllowedHost| match allowed.port {
            Some(listed) => listed == port,
            None => is_secure && port == HTTPS,
        };
        let is_listed = of_host.iter().any(takes);
        if is_listed { Ok(()) } else { Err(Fault::Port { host: host.to_string(), port }) }
    }

    fn names(&self) -> String {
        let names: Vec<_> = self.hosts.iter().map(|allowed| format!("`{}`", allowed.name())).collect();
        if names.is_empty() { "nowhere".to_owned() } else { names.join(", ") }
    }
}

impl AllowedHost {
    fn read(entry: &str) -> Option<Self> {
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

/// An address for people: without login, query and fragment, which may hold credentials.
pub(super) fn shown(url: &Url) -> String {
    let host = url.host().map_or_else(String::new, |host| format!("//{host}"));
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    let mut text = format!("{}:{host}{port}{}", url.scheme(), url.path());
    if text.len() > SHOWN {
        text.truncate(text.floor_char_boundary(SHOWN));
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

/// The file that a page of GitHub shows.
///
/// Where the branch ends and the path begins cannot be seen in the address if the branch has a slash in its name. GitHub
/// finds out by itself: the two are handed on as they are.
fn file_behind(page: &Url) -> Result<Url, Fault> {
    let segments: Vec<&str> = page.path_segments().into_iter().flatten().collect();
    let [owner, repository, kind, file @ ..] = segments.as_slice() else { return Err(Fault::NotAFile) };
    match *kind {
        "tree" => Err(Fault::Folder),
        "blob" | "raw" if file.len() >= 2 && !segments.contains(&"") => {
            let raw = format!("https://{RAW}/{owner}/{repository}/{}", file.join("/"));
            Url::parse(&raw).map_err(Fault::NotAnAddress)
        }
        _ => Err(Fault::NotAFile),
    }
}

#[cfg(test)]
mod tests;
