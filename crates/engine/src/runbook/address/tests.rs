use super::*;

fn hosts(entries: &[&str]) -> AllowedHosts {
    let entries: Vec<String> = entries.iter().map(|entry| (*entry).to_owned()).collect();
    AllowedHosts::new(&entries).unwrap()
}

/// Returns the URL that is fetched, or the error.
fn admit(hosts: &AllowedHosts, address: &str) -> String {
    let admitted = Url::parse(address).map_err(RunbookFault::NotAnAddress).and_then(|url| hosts.admit(&url));
    admitted.map_or_else(|fault| format!("no: {fault}"), |address| address.url.to_string())
}

fn check_all(hosts: &AllowedHosts, cases: &[(&str, &str)]) {
    for (address, expected) in cases {
        assert_eq!(admit(hosts, address), *expected, "{address}");
    }
}

#[test]
fn only_a_url_without_other_text_is_a_url() {
    let cases = [
        (None, RunbookSource::Nothing),
        (Some(""), RunbookSource::Nothing),
        (Some(" \n"), RunbookSource::Nothing),
        (Some(" https://h/x\n"), RunbookSource::Url("https://h/x")),
        (Some("HTTP://h"), RunbookSource::Url("HTTP://h")),
        (Some("https://h/x is the page.\n"), RunbookSource::Text("https://h/x is the page.\n")),
        (Some("# Restart it\n"), RunbookSource::Text("# Restart it\n")),
        (Some("ftp://h/x"), RunbookSource::Text("ftp://h/x")),
        (Some("häuser"), RunbookSource::Text("häuser")),
    ];
    for (named, expected) in cases {
        assert_eq!(RunbookSource::parse(named), expected);
    }
}

#[test]
fn converts_github_pages_to_raw_files() {
    let file = "https://raw.githubusercontent.com/o/r/main/a/b.md";
    let folder = "no: the URL is a folder; use the URL of a file, such as \
                  `https://github.com/OWNER/REPOSITORY/blob/BRANCH/PATH`";
    let other = "no: the URL is not a file in a repository; use \
                 `https://github.com/OWNER/REPOSITORY/blob/BRANCH/PATH`";
    check_all(
        &hosts(&["GitHub.com"]),
        &[
            ("https://github.com/o/r/blob/main/a/b.md", file),
            ("https://github.com/o/r/raw/main/a/b.md", file),
            ("HTTPS://GITHUB.COM:443/o/r/blob/main/a/b.md?plain=1#L3", file),
            ("https://github.com/o/r/blob/x/../main/a/b.md", file),
            (
                "https://github.com/o/r/blob/refs/heads/feature/x/b%20c.md",
                "https://raw.githubusercontent.com/o/r/refs/heads/feature/x/b%20c.md",
            ),
            ("https://github.com/o/r/tree/main/a", folder),
            ("https://github.com/o/r/tree", folder),
            ("https://github.com/o/r/blob/main", other),
            ("https://github.com/o/r/blob/main/a/", other),
            ("https://github.com//r/blob/main/a", other),
            ("https://github.com/o/r", other),
            ("https://github.com/o/r/issues/12/x", other),
            ("https://github.com/login?return_to=x", other),
            ("https://github.com", other),
        ],
    );
}

#[test]
fn keeps_other_urls() {
    check_all(
        &hosts(&["raw.githubusercontent.com", "wiki.example.com", "bücher.example", "git.example.com:8443"]),
        &[
            (
                "https://raw.githubusercontent.com/o/r/main/a.md?token=x#top",
                "https://raw.githubusercontent.com/o/r/main/a.md?token=x",
            ),
            ("https://WIKI.example.com/blob/a?raw=1", "https://wiki.example.com/blob/a?raw=1"),
            ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
            ("https://git.example.com:8443/a", "https://git.example.com:8443/a"),
        ],
    );
}

#[test]
fn rejects_hosts_that_are_not_listed() {
    let elsewhere = |host: &str| {
        format!(
            "no: host `{host}` is not allowed; allowed are `github.com`, `x.example:8443` \
             (`system.runbooks.allowed_domains`)"
        )
    };
    let hosts = hosts(&["github.com", "x.example:8443"]);
    for (address, host) in [
        ("https://evil.example/a", "evil.example"),
        ("https://gist.github.com/a", "gist.github.com"),
        ("https://github.com.evil.example/a", "github.com.evil.example"),
        ("https://notgithub.com/a", "notgithub.com"),
        ("https://github.com./o/r/blob/main/a", "github.com."),
        ("https://evil.example\\@github.com/o/r/blob/main/a", "evil.example"),
        ("https://evil.example#@github.com/o/r/blob/main/a", "evil.example"),
        ("https://127.0.0.1/a", "127.0.0.1"),
        ("http://localhost/a", "localhost"),
        ("https://2130706433/a", "127.0.0.1"),
        ("https://0x7f.1/a", "127.0.0.1"),
        ("https://[::1]/a", "[::1]"),
        ("https://[::ffff:127.0.0.1]/a", "[::ffff:7f00:1]"),
        ("http://169.254.169.254/latest/meta-data", "169.254.169.254"),
    ] {
        assert_eq!(admit(&hosts, address), elsewhere(host), "{address}");
    }
    let none =
        "no: host `github.com` is not allowed; allowed are no hosts (`system.runbooks.allowed_domains`)";
    assert_eq!(admit(&self::hosts(&[]), "https://github.com/a"), none);
}

#[test]
fn rejects_logins_other_schemes_and_other_ports() {
    let login = "no: the URL contains a login, which is never sent; remove it";
    check_all(
        &hosts(&["github.com", "x.example:8443"]),
        &[
            ("https://me:secret@github.com/o/r/blob/main/a", login),
            ("https://github.com@evil.example/a", login),
            ("https://:secret@github.com/a", login),
            ("http://github.com/o/r/blob/main/a", "no: the scheme is `http`; use `https`"),
            ("http://x.example:8443/a", "no: the scheme is `http`; use `https`"),
            ("ftp://github.com/a", "no: the scheme is `ftp`; use `https`"),
            ("file:///etc/passwd", "no: the scheme is `file`; use `https`"),
            ("data:text/plain,a", "no: the scheme is `data`; use `https`"),
            (
                "https://github.com:8443/o/r/blob/main/a",
                "no: port 8443 of `github.com` is not allowed; add `github.com:8443` to \
                 `system.runbooks.allowed_domains`",
            ),
            (
                "https://x.example/a",
                "no: port 443 of `x.example` is not allowed; add `x.example:443` to \
                 `system.runbooks.allowed_domains`",
            ),
        ],
    );
}

#[test]
fn allows_plain_http_only_for_listed_loopback_ports() {
    let port = |host: &str, port: u16| {
        format!(
            "no: port {port} of `{host}` is not allowed; add `{host}:{port}` to \
             `system.runbooks.allowed_domains`"
        )
    };
    let hosts = hosts(&["127.0.0.1:8080", "localhost:80", "127.0.0.2"]);
    for (address, expected) in [
        ("http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a".to_owned()),
        ("https://127.0.0.1:8080/a", "https://127.0.0.1:8080/a".to_owned()),
        ("http://localhost/a", "http://localhost/a".to_owned()),
        ("https://127.0.0.2/a", "https://127.0.0.2/a".to_owned()),
        ("http://127.0.0.1:8081/a", port("127.0.0.1", 8081)),
        ("http://127.0.0.2/a", port("127.0.0.2", 80)),
    ] {
        assert_eq!(admit(&hosts, address), expected, "{address}");
    }
}

#[test]
fn only_github_hosts_get_the_token() {
    let listed = hosts(&[
        "github.com",
        "raw.githubusercontent.com",
        "api.github.com",
        "api.github.com:8443",
        "gist.github.com",
        "github.com.example",
        "127.0.0.1:8080",
    ]);
    for (address, gets_it) in [
        ("https://github.com/o/r/blob/main/a", true),
        ("https://raw.githubusercontent.com/o/r/main/a", true),
        ("https://API.github.com/repos/o/r/contents/a", true),
        ("https://api.github.com:8443/repos/o/r/contents/a", false),
        ("https://gist.github.com/a", false),
        ("https://github.com.example/a", false),
        ("http://127.0.0.1:8080/a", false),
    ] {
        let address = listed.admit(&Url::parse(address).unwrap()).unwrap();
        assert_eq!(address.is_github(), gets_it, "{address:?}");
    }
}

#[test]
fn displays_a_url_without_credentials() {
    let long = format!("https://h/{}", "a".repeat(400));
    let cut = format!("https://h/{}…", "a".repeat(290));
    for (address, expected) in [
        ("https://me:secret@h:8443/a%20b?token=x#y", "https://h:8443/a%20b"),
        ("https://h", "https://h/"),
        ("data:text/plain,a?x", "data:text/plain,a"),
        (&long, &cut),
    ] {
        assert_eq!(display_url(&Url::parse(address).unwrap()), expected);
    }
}

#[test]
fn rejects_invalid_hosts() {
    for entry in ["x:y", "x:99999", "", "a b", "http://x"] {
        let parsed = AllowedHosts::new(&[entry.to_owned()]);
        assert!(matches!(parsed, Err(RunbooksError::Host(named)) if named == entry), "{entry}");
    }
}
