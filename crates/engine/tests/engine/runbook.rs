//! Runbooks as an investigation gets them, from a real server on this machine.

pub(crate) mod peer;

use std::fs;
use std::time::Duration;

use futures_util::future::join_all;
use peer::{Answer, Peer};
use tarsy_config::{Config, Environment};
use tarsy_engine::{Runbook, Runbooks, RunbooksError};

const DEFAULT: &str = "Look first.";

/// Runbooks with these lines in the section on where they come from.
fn runbooks_with(settings: &str, defaults: &str) -> Result<Runbooks, RunbooksError> {
    let folder = tempfile::tempdir().unwrap();
    let text =
        format!("system: {{ github: {{ token_env: TOKEN }}, runbooks: {{ {settings} }} }}\n{defaults}\n");
    fs::write(folder.path().join("tarsy.yaml"), text).unwrap();
    let environment = Environment::from_iter([("TOKEN", "secret-token\n")]);
    let config = Config::load(Some(folder.path()), &environment).unwrap().config;
    Runbooks::new(&config, &environment)
}

/// Runbooks that may come from these servers, with a default one.
fn runbooks(peers: &[&Peer]) -> Runbooks {
    let hosts: Vec<_> = peers.iter().map(|peer| format!("'{}'", peer.host)).collect();
    let settings = format!("cache_ttl: 1m, allowed_domains: [{}]", hosts.join(", "));
    runbooks_with(&settings, &format!("defaults: {{ runbook: {DEFAULT} }}")).unwrap()
}

fn text(text: &str) -> Runbook {
    Runbook { text: Some(text.to_owned()), warning: None }
}

fn warning(address: &str, fault: &str) -> Runbook {
    let warning =
        format!("The runbook at {address} could not be used: {fault}. The default runbook is used instead.");
    Runbook { text: Some(DEFAULT.to_owned()), warning: Some(warning) }
}

#[tokio::test]
async fn an_alert_without_a_runbook_gets_the_default_one() {
    let runbooks = runbooks(&[]);
    assert_eq!(runbooks.obtain(None).await, text(DEFAULT));
    assert_eq!(runbooks.obtain(Some(" \n")).await, text(DEFAULT));
    let without = runbooks_with("", "defaults: { runbook: ' ' }").unwrap();
    assert_eq!(without.obtain(None).await, Runbook::default());
}

#[tokio::test]
async fn what_is_not_an_address_is_the_runbook_itself() {
    let own = "# Restart it\n\nSee https://wiki.example.com.\n";
    assert_eq!(runbooks(&[]).obtain(Some(own)).await, text(own));
}

#[tokio::test]
async fn a_runbook_is_fetched_once_and_kept_for_a_while() {
    let peer = Peer::start([("/a.md", Answer::text("# Größe\n"))]).await;
    let runbooks = runbooks(&[&peer]);
    for address in ["/a.md?v=1#top", "/a.md?v=1#end"] {
        assert_eq!(runbooks.obtain(Some(&peer.at(address))).await, text("# Größe\n"));
    }
    let requests = peer.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].starts_with("get /a.md?v=1 http/1.1\r\n"), "{requests:?}");
    assert!(requests[0].contains("user-agent: tarsy/"), "{requests:?}");
    assert!(!requests[0].contains("authorization"), "{requests:?}");
}

#[tokio::test]
async fn those_who_ask_at_the_same_time_share_one_request() {
    let peer = Peer::start([("/a", Answer::text("A").after(Duration::from_millis(100)))]).await;
    let host = &peer.host;
    let runbooks = runbooks_with(&format!("cache_ttl: 0s, allowed_domains: ['{host}']"), "").unwrap();
    let address = peer.at("/a");
    let obtained = join_all((0..20).map(|_| runbooks.obtain(Some(&address)))).await;
    assert_eq!(obtained, vec![text("A"); 20]);
    assert_eq!(peer.requests().len(), 1);
    runbooks.obtain(Some(&address)).await;
    assert_eq!(peer.requests().len(), 2);
}

#[tokio::test]
async fn a_failure_is_shared_but_not_kept() {
    let peer = Peer::start([("/a", Answer::status("503 Busy").after(Duration::from_millis(100)))]).await;
    let (runbooks, address) = (runbooks(&[&peer]), peer.at("/a"));
    let failed = warning(&address, "the server answers 503 Service Unavailable: it may answer later");
    let obtained = join_all((0..5).map(|_| runbooks.obtain(Some(&address)))).await;
    assert_eq!(obtained, vec![failed; 5]);
    assert_eq!(peer.requests().len(), 1);
    runbooks.obtain(Some(&address)).await;
    assert_eq!(peer.requests().len(), 2);
}

#[tokio::test]
async fn what_a_server_gives_is_read_with_care() {
    let megabyte = "a".repeat(1024 * 1024);
    let peer = Peer::start([
        ("/largest", Answer::text(megabyte.as_str())),
        ("/larger", Answer::text(format!("{megabyte}a"))),
        ("/endless", Answer::text("lorem ipsum\n".repeat(1000)).endless()),
        ("/login", Answer::typed("text/html", "<title>Sign in</title>")),
        ("/image", Answer::typed("image/png", b"\x89PNG\xff".as_slice())),
        ("/empty", Answer::text("\n")),
        ("/cut", Answer::status("200 OK\r\ncontent-length: 9")),
        ("/private", Answer::status("403 Forbidden")),
    ])
    .await;
    let runbooks = runbooks(&[&peer]);
    assert_eq!(runbooks.obtain(Some(&peer.at("/largest"))).await, text(&megabyte));
    let large = "it has more than 1048576 bytes; expected a shorter text";
    let page = "it is a web page, perhaps one to sign in; expected the address of the text itself";
    let broken = "there is no connection to the server, or it broke: ";
    for (path, fault) in [
        ("/larger", large),
        ("/endless", large),
        ("/login", page),
        ("/image", "it is not a text in UTF-8; expected one"),
        ("/empty", "it is empty; expected a text"),
        ("/private", "the server answers 403 Forbidden: expected a file that is read without signing in"),
        ("/none", "the server answers 404 Not Found: expected a file that is there"),
    ] {
        assert_eq!(runbooks.obtain(Some(&peer.at(path))).await, warning(&peer.at(path), fault));
    }
    let cut = runbooks.obtain(Some(&peer.at("/cut"))).await;
    assert!(cut.warning.unwrap().contains(broken));
}

#[tokio::test]
async fn redirects_are_followed_three_times() {
    let peer = Peer::start([
        ("/4", Answer::redirect("/3")),
        ("/3", Answer::redirect("http://HOST/2")),
        ("/2", Answer::redirect("1")),
        ("/1", Answer::redirect("/0?q=1")),
        ("/0", Answer::text("A")),
        ("/nowhere", Answer::status("302 Found")),
        ("/lost", Answer::redirect("/none?token=x")),
    ])
    .await;
    let runbooks = runbooks(&[&peer]);
    assert_eq!(runbooks.obtain(Some(&peer.at("/3"))).await, text("A"));
    let too_many = "it leads on more than 3 times; expected the address where it ends";
    assert_eq!(runbooks.obtain(Some(&peer.at("/4"))).await, warning(&peer.at("/4"), too_many));
    let nowhere = "the server sends on to nowhere; expected an address in its answer";
    assert_eq!(runbooks.obtain(Some(&peer.at("/nowhere"))).await, warning(&peer.at("/nowhere"), nowhere));
    let host = &peer.host;
    let lost = format!(
        "it leads on to http://{host}/none: the server answers 404 Not Found: expected a file that is there"
    );
    assert_eq!(runbooks.obtain(Some(&peer.at("/lost"))).await, warning(&peer.at("/lost"), &lost));
}

#[tokio::test]
async fn a_redirect_is_checked_like_the_address_itself() {
    let other = Peer::start([("/a", Answer::text("A"))]).await;
    let unlisted = Peer::start([("/a", Answer::text("A"))]).await;
    let (to_other, to_unlisted) =
        (Answer::redirect(&other.at("/a")), Answer::redirect(&unlisted.at("/a?key=x")));
    let peer = Peer::start([
        ("/other", to_other),
        ("/unlisted", to_unlisted),
        ("/evil", Answer::redirect("https://evil.example/a?key=x")),
        ("/login", Answer::redirect("http://me:secret@HOST/a")),
        ("/file", Answer::redirect("file:///etc/passwd")),
    ])
    .await;
    let runbooks = runbooks(&[&peer, &other]);
    assert_eq!(runbooks.obtain(Some(&peer.at("/other"))).await, text("A"));

    let (host, other_host) = (&peer.host, &other.host);
    let port = unlisted.host.trim_start_matches("127.0.0.1:");
    let unlisted_port = format!(
        "it leads on to http://127.0.0.1:{port}/a: runbooks may not come from port {port} of `127.0.0.1` unless \
         `system.runbooks.allowed_domains` has `127.0.0.1:{port}`"
    );
    let evil = format!(
        "it leads on to https://evil.example/a: runbooks may not come from `evil.example`, only from `{host}`, \
         `{other_host}` (`system.runbooks.allowed_domains`)"
    );
    let login = format!(
        "it leads on to http://{host}/a: it has a login in it, which is never sent; expected an address without one"
    );
    let file = "it leads on to file:/etc/passwd: it begins with `file:`; expected `https:`".to_owned();
    for (path, fault) in [("/unlisted", unlisted_port), ("/evil", evil), ("/login", login), ("/file", file)] {
        assert_eq!(runbooks.obtain(Some(&peer.at(path))).await, warning(&peer.at(path), &fault));
    }
    assert_eq!(unlisted.requests(), Vec::<String>::new());
    assert!(!other.requests()[0].contains("authorization"));
}

#[tokio::test]
async fn an_address_that_may_not_be_used_is_not_asked() {
    let runbooks = runbooks_with("allowed_domains: [github.com]", "").unwrap();
    let obtained = runbooks.obtain(Some("https://me:secret@evil.example/a?key=x#y")).await;
    let expected = "The runbook at https://evil.example/a could not be used: it has a login in it, which is never sent; \
                    expected an address without one. The investigation goes on without one.";
    assert_eq!(obtained, Runbook { text: None, warning: Some(expected.to_owned()) });
    let obtained = runbooks.obtain(Some("https://me:sec/ret@h")).await;
    let expected = "The runbook's address could not be used: it is not one (invalid port number); expected one such as \
                    `https://github.com/OWNER/REPOSITORY/blob/BRANCH/PATH`. The investigation goes on without one.";
    assert_eq!(obtained, Runbook { text: None, warning: Some(expected.to_owned()) });
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_warning() {
    let gone = Peer::start([]).await;
    let (runbooks, address) = (runbooks(&[&gone]), gone.at("/a?key=x"));
    drop(gone);
    tokio::task::yield_now().await;
    let obtained = runbooks.obtain(Some(&address)).await;
    let warning = obtained.warning.unwrap();
    assert!(
        warning.contains("/a could not be used: there is no connection to the server, or it broke: "),
        "{warning}"
    );
    assert!(!warning.contains("key"), "{warning}");
    assert_eq!(obtained.text.as_deref(), Some(DEFAULT));
}

#[test]
fn a_token_that_no_header_can_carry_is_an_error_at_start() {
    let environment = Environment::from_iter([("GITHUB_TOKEN", "sec\nret")]);
    let config = Config::load(None, &environment).unwrap().config;
    let error = Runbooks::new(&config, &environment).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the token in `GITHUB_TOKEN` has characters in it that no header can carry"
    );
}
