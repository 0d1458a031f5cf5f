use super::*;

fn hosts(entries: &[&str]) -> AllowedHosts {
    let entries: Vec<String> = entries.iter().map(|entry| (*entry).to_owned()).collect();
    AllowedHosts::new(&entries).unwrap()
}

/// Where a text would be fetched from, or why not.
fn plan(hosts: &AllowedHosts, address: &str) -> String {
    let admitted = Url::parse(address).map_err(Fault::NotAnAddress).and_then(|url| hosts.admit(&url));
    admitted.map_or_else(|fault| format!("no: {fault}"), |address| address.url.to_string())
}

fn check_all(hosts: &AllowedHosts, cases: &[(&str, &str)]) {
    for (address, expected) in cases {
        assert_eq!(plan(hosts, address), *expected, "{address}");
    }
}

#[test]
fn only_an_address_that_stands_alone_is_one() {
    let cases = [
        (None, Named::Nothing),
        (Some(""), Named::Nothing),
        (Some(" \n"), Named::Nothing),
        (Some(" https://h/x\n"), Named::Address("https://h/x")),
        (Some("HTTP://h"), Named::Address("HTTP://h")),
        (Some("https://h/x is the page.\n"), Named::Text("https://h/x is the page.\n")),
        (Some("# Restart it\n"), Named::Text("# Restart it\n")),
        (Some("ftp://h/x"), Named::Text("ftp://h/x")),
        (Some("häuser"), Named::Text("häuser")),
    ];
    for (named, expected) in cases {
        assert_eq!(Named::read(named), expected);
    }
}

#[test]
fn a_page_of_github_becomes_the_file_behind_it() {
    let file = "https://raw.githubusercontent.com/o/r/main/a/b.md";
    let folder = "no: it is a folder; expected a file, such as \
                  `https://github.com/OWNER/REPOSITORY/blob/BRANCH/PATH`";
    let other = "no: it is not a file in a repository; expected \
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
fn other_addresses_stay_as_they_are() {
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
fn hosts_that_are_not_listed_are_refused() {
    let elsewhere = |host: &str| {
        format!(
            "no: runbooks may not come from `{host}`, only from `github.com`, `x.example:8443` \
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
        assert_eq!(plan(&hosts, address), elsewhere(host), "{address}");
    }
    let nowhere =
        "no: runbooks may not come from `github.com`, only from nowhere (`system.runbooks.allowed_domains`)";
    assert_eq!(plan(&self::hosts(&[]), "https://github.com/a"), nowhere);
}

#[test]
fn logins_other_schemes_and_other_ports_are_refused() {
    let login = "no: it has a login in it, which is never sent; expected an address without one";
    check_all(
        &hosts(&["github.com", "x.example:8443"]),
        &[
            ("https://me:secret@github.com/o/r/blob/main/a", login),
            ("https://github.com@evil.example/a", login),
            ("https://:secret@github.com/a", login),
            ("http://github.com/o/r/blob/main/a", "no: it begins with `http:`; expected `https:`"),
            ("http://x.example:8443/a", "no: it begins with `http:`; expected `https:`"),
            ("ftp://github.com/a", "no: it begins with `ftp:`; expected `https:`"),
            ("file:///etc/passwd", "no: it begins with `file:`; expected `https:`"),
            ("data:text/plain,a", "no: it begins with `data:`; expected `https:`"),
            (
                "https://github.com:8443/o/r/blob/main/a",
                "no: runbooks may not come from port 8443 of `github.com` unless \
                 `system.runbooks.allowed_domains` has `github.com:8443`",
            ),
            (
                "https://x.example/a",
                "no: runbooks may not come from port 443 of `x.example` unless \
                 `system.runbooks.allowed_domains` has `x.example:443`",
            ),
        ],
    );
}

#[test]
fn plain_http_is_for_listed_ports_of_this_machine() {
    let port = |host: &str, port: u16| {
        format!(
            "no: runbooks may not come from port {port} of `{host}` unless \
             `system.runbooks.allowed_domains` has `{host}:{port}`"
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
        assert_eq!(plan(&hosts, address), expected, "{address}");
    }
}

#[test]
fn only_github_gets_the_token() {
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
fn an_address_is_shown_without_what_may_be_secret() {
    let long = format!("https://h/{}", "a".repeat(400));
    let cut = format!("https://h/{}…", "a".repeat(290));
    for (address, expected) in [
        ("https://me:secret@h:8443/a%20b?token=x#y", "https://h:8443/a%20b"),
        ("https://h", "https://h/"),
        ("data:text/plain,a?x", "data:text/plain,a"),
        (&long, &cut),
    ] {
        assert_eq!(shown(&Url::parse(address).unwrap()), expected);
    }
}

#[test]
fn what_is_not_a_host_is_not_listed() {
    for entry in ["x:y", "x:99999", "", "a b", "http://x"] {
        let read = AllowedHosts::new(&[entry.to_owned()]);
        assert!(matches!(read, Err(RunbooksError::Host(named)) if named == entry), "{entry}");
    }
}
