//! The sessions of a running server.

use std::fs;

use serde_json::Value;

use super::running::{RunningDemo, RunningServer};
use crate::tarsy::{run, tarsy, text};

#[test]
fn a_session_is_watched_listed_shown_and_exported() {
    let demo = RunningDemo::start(&["--pace", "fast"]);
    let watched = demo.sessions(&["watch", &demo.session_id]);
    assert_eq!(watched.status.code(), Some(0), "{}", text(&watched.stderr));
    assert!(text(&watched.stderr).contains("ClusterAgent thinks: "), "{}", text(&watched.stderr));
    assert!(text(&watched.stdout).contains("quote cache without a limit"), "{}", text(&watched.stdout));

    let listed = demo.told(&["list"]);
    let mut lines = listed.lines();
    assert!(lines.next().unwrap().starts_with("SESSION "), "{listed}");
    let row = lines.next().unwrap();
    assert!(row.starts_with(&demo.session_id) && row.contains("completed"), "{listed}");
    assert!(row.ends_with("2/2     CheckoutPodsRestarting"), "{listed}");
    assert!(demo.told(&["list", "--search", "quote cache"]).contains(&demo.session_id));
    let none = demo.sessions(&["list", "--status", "failed"]);
    assert_eq!(
        (text(&none.stdout).as_str(), text(&none.stderr).as_str()),
        ("", "There are no such sessions.\n")
    );

    let shown = demo.told(&["show", "latest"]);
    assert!(shown.starts_with(&format!("{} completed (CheckoutPodsRestarting)", demo.session_id)), "{shown}");
    assert!(
        shown.contains("    ClusterAgent completed after ") && shown.contains("6 model and 5 tool calls"),
        "{shown}"
    );
    let json: Value = serde_json::from_str(&demo.told(&["show", "latest", "--json"])).unwrap();
    assert_eq!(json["session_id"], demo.session_id);

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("run.json");
    demo.told(&["export", "latest", "--output", file.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(&file).unwrap(), demo.told(&["export", "latest"]).trim_end());
}

#[test]
fn a_session_is_cancelled_and_whoever_watches_is_told() {
    let demo = RunningDemo::start(&["--pace", "real"]);
    let cancelled = demo.sessions(&["cancel", "latest"]);
    assert_eq!(cancelled.status.code(), Some(0), "{}", text(&cancelled.stderr));
    let told = text(&cancelled.stderr);
    assert!(told.starts_with(&format!("session {} is cancel", demo.session_id)), "{told}");
    let watched = demo.sessions(&["watch", "latest", "--json"]);
    assert_eq!(watched.status.code(), Some(130), "{}", text(&watched.stderr));
    let again = demo.sessions(&["cancel", &demo.session_id]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("only a session that has not ended"), "{}", text(&again.stderr));
}

#[test]
fn a_running_server_investigates() {
    let demo = RunningDemo::start(&["--pace", "fast"]);
    let directory = tempfile::tempdir().unwrap();
    let alert = directory.path().join("alert.txt");
    fs::write(&alert, "The lights are out.").unwrap();
    let asked = ["investigate", "--server", demo.address(), "--alert-type", "Dark", alert.to_str().unwrap()];
    let output = run(&asked);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("# Dark: completed\n"), "{}", text(&output.stdout));
    assert!(demo.told(&["list"]).contains("  Dark\n"));
}

#[test]
fn a_server_that_is_not_there_or_asks_who_is_there_is_explained() {
    let nobody = run(&["sessions", "list", "--server", "http://127.0.0.1:1"]);
    assert_eq!(nobody.status.code(), Some(1));
    let told = text(&nobody.stderr);
    assert!(
        told.starts_with("no server answers at http://127.0.0.1:1; start one with `tarsy serve`"),
        "{told}"
    );

    let demo = RunningDemo::start(&["--pace", "fast"]);
    let unknown = demo.sessions(&["show", "01a1e091-4f01-7082-aa51-081012474901"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown.stderr).contains("there is no session 01a1e091"), "{}", text(&unknown.stderr));
    let misspelt = demo.sessions(&["show", "lastest"]);
    assert_eq!(misspelt.status.code(), Some(2));
    assert!(text(&misspelt.stderr).contains("or `latest`"), "{}", text(&misspelt.stderr));
    let elsewhere = demo.sessions(&["list", "--server", "localhost"]);
    assert_eq!(elsewhere.status.code(), Some(2));
    assert!(text(&elsewhere.stderr).contains("such as http://127.0.0.1:8080"), "{}", text(&elsewhere.stderr));
}

#[test]
fn a_token_is_shown_to_a_server_that_asks_for_one() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("tarsy.yaml"), "system: { access: { tokens: true } }").unwrap();
    let place = directory.path().to_str().unwrap();
    let server = RunningServer::start(&["serve", "--config-dir", place, "--data-dir", place]);
    let token = text(&run(&["token", "create", "me", "--role", "viewer", "--data-dir", place]).stdout);
    let listed = |token: &str| {
        let mut list = tarsy(&["sessions", "list", "--server", &server.address]);
        list.env("TARSY_TOKEN", token).output().unwrap()
    };
    let unknown = listed("");
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown.stderr).contains("into the variable TARSY_TOKEN"), "{}", text(&unknown.stderr));
    let known = listed(token.trim_end());
    assert_eq!(known.status.code(), Some(0), "{}", text(&known.stderr));
}
