//! `tarsy sessions`.

use std::fs;

use serde_json::Value;

use super::running::{RunningDemo, RunningServer};
use crate::tarsy::{run, tarsy, text};

#[test]
fn watches_lists_shows_and_exports_a_session() {
    let demo = RunningDemo::start(&["--pace", "fast"]);
    let watched = demo.sessions(&["watch", &demo.session_id]);
    assert_eq!(watched.status.code(), Some(0), "{}", text(&watched.stderr));
    assert!(text(&watched.stderr).contains("ClusterAgent thinking: "), "{}", text(&watched.stderr));
    assert!(text(&watched.stdout).contains("quote cache without a limit"), "{}", text(&watched.stdout));

    let listed = demo.sessions_output(&["list"]);
    let mut lines = listed.lines();
    assert!(lines.next().unwrap().starts_with("SESSION "), "{listed}");
    let row = lines.next().unwrap();
    assert!(row.starts_with(&demo.session_id) && row.contains("completed"), "{listed}");
    assert!(row.ends_with("2/2     CheckoutPodsRestarting"), "{listed}");
    assert!(demo.sessions_output(&["list", "--search", "quote cache"]).contains(&demo.session_id));
    let none = demo.sessions(&["list", "--status", "failed"]);
    assert_eq!((text(&none.stdout).as_str(), text(&none.stderr).as_str()), ("", "No sessions found.\n"));

    let shown = demo.sessions_output(&["show", "latest"]);
    assert!(shown.starts_with(&format!("{} completed (CheckoutPodsRestarting)", demo.session_id)), "{shown}");
    assert!(
        shown.contains("    ClusterAgent completed after ") && shown.contains("6 model and 5 tool calls"),
        "{shown}"
    );
    let json: Value = serde_json::from_str(&demo.sessions_output(&["show", "latest", "--json"])).unwrap();
    assert_eq!(json["session_id"], demo.session_id);

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("run.json");
    demo.sessions_output(&["export", "latest", "--output", file.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(&file).unwrap(), demo.sessions_output(&["export", "latest"]).trim_end());
}

#[test]
fn cancels_a_session_and_watch_exits_with_130() {
    let demo = RunningDemo::start(&["--pace", "real"]);
    let cancelled = demo.sessions(&["cancel", "latest"]);
    assert_eq!(cancelled.status.code(), Some(0), "{}", text(&cancelled.stderr));
    let received = text(&cancelled.stderr);
    assert!(received.starts_with(&format!("Session {} is cancel", demo.session_id)), "{received}");
    let watched = demo.sessions(&["watch", "latest", "--json"]);
    assert_eq!(watched.status.code(), Some(130), "{}", text(&watched.stderr));
    let again = demo.sessions(&["cancel", &demo.session_id]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("cannot be cancelled"), "{}", text(&again.stderr));
}

#[test]
fn investigates_on_a_server() {
    let demo = RunningDemo::start(&["--pace", "fast"]);
    let directory = tempfile::tempdir().unwrap();
    let alert = directory.path().join("alert.txt");
    fs::write(&alert, "The lights are out.").unwrap();
    let arguments =
        ["investigate", "--server", demo.address(), "--alert-type", "Dark", alert.to_str().unwrap()];
    let output = run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("# Dark: completed\n"), "{}", text(&output.stdout));
    assert!(demo.sessions_output(&["list"]).contains("  Dark\n"));
}

#[test]
fn errors_explain_what_to_do() {
    let unreachable = run(&["sessions", "list", "--server", "http://127.0.0.1:1"]);
    assert_eq!(unreachable.status.code(), Some(1));
    let received = text(&unreachable.stderr);
    assert!(
        received.starts_with("cannot connect to http://127.0.0.1:1; start a server with `tarsy serve`"),
        "{received}"
    );

    let demo = RunningDemo::start(&["--pace", "fast"]);
    let unknown = demo.sessions(&["show", "01a1e091-4f01-7082-aa51-081012474901"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown.stderr).contains("session 01a1e091"), "{}", text(&unknown.stderr));
    let misspelt = demo.sessions(&["show", "lastest"]);
    assert_eq!(misspelt.status.code(), Some(2));
    assert!(text(&misspelt.stderr).contains("or `latest`"), "{}", text(&misspelt.stderr));
    let invalid = demo.sessions(&["list", "--server", "localhost"]);
    assert_eq!(invalid.status.code(), Some(2));
    assert!(text(&invalid.stderr).contains("such as http://127.0.0.1:8080"), "{}", text(&invalid.stderr));
}

#[test]
fn sends_the_token_to_a_server() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("tarsy.yaml"), "system: { access: { tokens: true } }").unwrap();
    let path = directory.path().to_str().unwrap();
    let server = RunningServer::start(&["serve", "--config-dir", path, "--data-dir", path]);
    let token = text(&run(&["token", "create", "me", "--role", "viewer", "--data-dir", path]).stdout);
    let listed = |token: &str| {
        let mut list = tarsy(&["sessions", "list", "--server", &server.address]);
        list.env("TARSY_TOKEN", token).output().unwrap()
    };
    let unknown = listed("");
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown.stderr).contains("set TARSY_TOKEN"), "{}", text(&unknown.stderr));
    let known = listed(token.trim_end());
    assert_eq!(known.status.code(), Some(0), "{}", text(&known.stderr));
}
