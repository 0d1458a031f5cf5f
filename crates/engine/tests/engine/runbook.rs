//! Runbooks fetched from a local HTTP server.

mod list;
pub(crate) mod runbook_server;

use std::fs;
use std::time::Duration;

use futures_util::future::join_all;
use runbook_server::{RunbookServer, ServedResponse};
use tarsy_config::{Config, Environment};
use tarsy_engine::{Runbook, Runbooks, RunbooksError};

const DEFAULT: &str = "Look first.";

/// Creates runbooks with these keys in `system.runbooks`.
fn runbooks_with(settings: &str, defaults: &str) -> Result<Runbooks, RunbooksError> {
    runbooks_of("token_env: TOKEN", settings, defaults)
}

/// Creates runbooks with these keys in `system.github` and `system.runbooks`.
fn runbooks_of(github: &str, settings: &str, defaults: &str) -> Result<Runbooks, RunbooksError> {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("system: {{ github: {{ {github} }}, runbooks: {{ {settings} }} }}\n{defaults}\n");
    fs::write(folder.path().join("tarsy.yaml"), text).unwrap();
    let environment = Environment::from_iter([("TOKEN", "secret-token\n")]);
    let config = Config::load(Some(folder.path()), &environment).unwrap().config;
    Runbooks::new(&config, &environment)
}

/// Creates runbooks that may be fetched from these servers, with a default one.
fn runbooks(servers: &[&RunbookServer]) -> Runbooks {
    let hosts: Vec<_> = servers.iter().map(|server| format!("'{}'", server.host)).collect();
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
async fn text_that_is_not_a_url_is_the_runbook_itself() {
    let own = "# Restart it\n\nSee https://wiki.example.com.\n";
    assert_eq!(runbooks(&[]).obtain(Some(own)).await, text(own));
}

#[tokio::test]
async fn a_fetched_runbook_is_cached() {
    let server = RunbookServer::start([("/a.md", ServedResponse::text("# Größe\n"))]).await;
    let runbooks = runbooks(&[&server]);
    for address in ["/a.md?v=1#top", "/a.md?v=1#end"] {
        assert_eq!(runbooks.obtain(Some(&server.url(address))).await, text("# Größe\n"));
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].starts_with("get /a.md?v=1 http/1.1\r\n"), "{requests:?}");
    assert!(requests[0].contains("user-agent: tarsy/"), "{requests:?}");
    assert!(!requests[0].contains("authorization"), "{requests:?}");
}

#[tokio::test]
async fn concurrent_callers_share_one_request() {
    let server =
        RunbookServer::start([("/a", ServedResponse::text("A").after(Duration::from_millis(100)))]).await;
    let host = &server.host;
    let runbooks = runbooks_with(&format!("cache_ttl: 0s, allowed_domains: ['{host}']"), "").unwrap();
    let address = server.url("/a");
    let obtained = join_all((0..20).map(|_| runbooks.obtain(Some(&address)))).await;
    assert_eq!(obtained, vec![text("A"); 20]);
    assert_eq!(server.requests().len(), 1);
    runbooks.obtain(Some(&address)).await;
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_failure_is_shared_but_not_cached() {
    let server =
        RunbookServer::start([("/a", ServedResponse::status("503 Busy").after(Duration::from_millis(100)))])
            .await;
    let (runbooks, address) = (runbooks(&[&server]), server.url("/a"));
    let failed =
        warning(&address, "the server returned 503 Service Unavailable: the server may recover later");
    let obtained = join_all((0..5).map(|_| runbooks.obtain(Some(&address)))).await;
    assert_eq!(obtained, vec![failed; 5]);
    assert_eq!(server.requests().len(), 1);
    runbooks.obtain(Some(&address)).await;
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn rejects_responses_that_are_not_a_runbook() {
    let megabyte = "a".repeat(1024 * 1024);
    let server = RunbookServer::start([
        ("/largest", ServedResponse::text(megabyte.as_str())),
        ("/larger", ServedResponse::text(format!("{megabyte}a"))),
        ("/endless", ServedResponse::text("lorem ipsum\n".repeat(1000)).endless()),
        ("/login", ServedResponse::typed("text/html", "<title>Sign in</title>")),
        ("/image", ServedResponse::typed("image/png", b"\x89PNG\xff".as_slice())),
        ("/empty", ServedResponse::text("\n")),
        ("/cut", ServedResponse::status("200 OK\r\ncontent-length: 9")),
        ("/private", ServedResponse::status("403 Forbidden")),
    ])
    .await;
    let runbooks = runbooks(&[&server]);
    assert_eq!(runbooks.obtain(Some(&server.url("/largest"))).await, text(&megabyte));
    let large = "it has more than 1048576 bytes; shorten it";
    let page = "it is a web page, perhaps a sign-in page; use the URL of the text itself";
    let broken = "the connection to the server failed: ";
    for (path, fault) in [
        ("/larger", large),
        ("/endless", large),
        ("/login", page),
        ("/image", "it is not UTF-8 text"),
        ("/empty", "it is empty"),
        ("/private", "the server returned 403 Forbidden: the file requires a sign-in; use a public one"),
        ("/none", "the server returned 404 Not Found: the file does not exist"),
    ] {
        assert_eq!(runbooks.obtain(Some(&server.url(path))).await, warning(&server.url(path), fault));
    }
    let cut = runbooks.obtain(Some(&server.url("/cut"))).await;
    assert!(cut.warning.unwrap().contains(broken));
}

#[tokio::test]
async fn follows_at_most_three_redirects() {
    let server = RunbookServer::start([
        ("/4", ServedResponse::redirect("/3")),
        ("/3", ServedResponse::redirect("http://HOST/2")),
        ("/2", ServedResponse::redirect("1")),
        ("/1", ServedResponse::redirect("/0?q=1")),
        ("/0", ServedResponse::text("A")),
        ("/nowhere", ServedResponse::status("302 Found")),
        ("/lost", ServedResponse::redirect("/none?token=x")),
    ])
    .await;
    let runbooks = runbooks(&[&server]);
    assert_eq!(runbooks.obtain(Some(&server.url("/3"))).await, text("A"));
    let too_many = "it has more than 3 redirects; use the final URL";
    assert_eq!(runbooks.obtain(Some(&server.url("/4"))).await, warning(&server.url("/4"), too_many));
    let no_location = "the server sent a redirect without a valid location";
    assert_eq!(
        runbooks.obtain(Some(&server.url("/nowhere"))).await,
        warning(&server.url("/nowhere"), no_location)
    );
    let host = &server.host;
    let lost = format!(
        "it redirects to http://{host}/none: the server returned 404 Not Found: the file does not exist"
    );
    assert_eq!(runbooks.obtain(Some(&server.url("/lost"))).await, warning(&server.url("/lost"), &lost));
}

#[tokio::test]
async fn checks_the_target_of_a_redirect() {
    let other = RunbookServer::start([("/a", ServedResponse::text("A"))]).await;
    let unlisted = RunbookServer::start([("/a", ServedResponse::text("A"))]).await;
    let (to_other, to_unlisted) =
        (ServedResponse::redirect(&other.url("/a")), ServedResponse::redirect(&unlisted.url("/a?key=x")));
    let server = RunbookServer::start([
        ("/other", to_other),
        ("/unlisted", to_unlisted),
        ("/evil", ServedResponse::redirect("https://evil.example/a?key=x")),
        ("/login", ServedResponse::redirect("http://me:secret@HOST/a")),
        ("/file", ServedResponse::redirect("file:///etc/passwd")),
    ])
    .await;
    let runbooks = runbooks(&[&server, &other]);
    assert_eq!(runbooks.obtain(Some(&server.url("/other"))).await, text("A"));

    let (host, other_host) = (&server.host, &other.host);
    let port = unlisted.host.trim_start_matches("127.0.0.1:");
    let unlisted_port = format!(
        "it redirects to http://127.0.0.1:{port}/a: port {port} of `127.0.0.1` is not allowed; add \
         `127.0.0.1:{port}` to `system.runbooks.allowed_domains`"
    );
    let evil = format!(
        "it redirects to https://evil.example/a: host `evil.example` is not allowed; allowed are `{host}`, \
         `{other_host}` (`system.runbooks.allowed_domains`)"
    );
    let login =
        format!("it redirects to http://{host}/a: the URL contains a login, which is never sent; remove it");
    let file = "it redirects to file:/etc/passwd: the scheme is `file`; use `https`".to_owned();
    for (path, fault) in [("/unlisted", unlisted_port), ("/evil", evil), ("/login", login), ("/file", file)] {
        assert_eq!(runbooks.obtain(Some(&server.url(path))).await, warning(&server.url(path), &fault));
    }
    assert_eq!(unlisted.requests(), Vec::<String>::new());
    assert!(!other.requests()[0].contains("authorization"));
}

#[tokio::test]
async fn does_not_send_a_request_to_a_disallowed_url() {
    let runbooks = runbooks_with("allowed_domains: [github.com]", "").unwrap();
    let obtained = runbooks.obtain(Some("https://me:secret@evil.example/a?key=x#y")).await;
    let expected = "The runbook at https://evil.example/a could not be used: the URL contains a login, which is never sent; \
                    remove it. The investigation continues without one.";
    assert_eq!(obtained, Runbook { text: None, warning: Some(expected.to_owned()) });
    let obtained = runbooks.obtain(Some("https://me:sec/ret@h")).await;
    let expected = "The runbook URL could not be used: the URL is invalid (invalid port number); use one such as \
                    `https://github.com/OWNER/REPOSITORY/blob/BRANCH/PATH`. The investigation continues without one.";
    assert_eq!(obtained, Runbook { text: None, warning: Some(expected.to_owned()) });
}

#[tokio::test]
async fn a_missing_server_is_a_warning() {
    let stopped = RunbookServer::start([]).await;
    let (runbooks, address) = (runbooks(&[&stopped]), stopped.url("/a?key=x"));
    drop(stopped);
    tokio::task::yield_now().await;
    let obtained = runbooks.obtain(Some(&address)).await;
    let warning = obtained.warning.unwrap();
    assert!(warning.contains("/a could not be used: the connection to the server failed: "), "{warning}");
    assert!(!warning.contains("key"), "{warning}");
    assert_eq!(obtained.text.as_deref(), Some(DEFAULT));
}

#[test]
fn an_invalid_token_is_an_error_at_startup() {
    let environment = Environment::from_iter([("GITHUB_TOKEN", "sec\nret")]);
    let config = Config::load(None, &environment).unwrap().config;
    let error = Runbooks::new(&config, &environment).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the token in `GITHUB_TOKEN` contains characters that are not allowed in an HTTP header"
    );
}
