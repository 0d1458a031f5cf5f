//! `tarsy token`, and a server that asks for what it made.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::tarsy::{run, text};

fn token(data: &Path, arguments: &[&str]) -> Output {
    let data = data.display().to_string();
    run(&[&["token"], arguments, &["--data-dir", &data]].concat())
}

#[test]
fn a_token_is_shown_once_listed_and_revoked() {
    let directory = tempfile::tempdir().unwrap();
    let made = token(directory.path(), &["create", "ci", "--role", "operator"]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let secret = text(&made.stdout).trim_end().to_owned();
    assert!(secret.starts_with("tarsy_") && secret.len() == 70, "{secret}");
    assert_eq!(text(&made.stderr), "This is the token of `ci` (operator). It is shown only now.\n");

    let listed = text(&token(directory.path(), &["list"]).stdout);
    assert!(listed.starts_with("ci  operator  made 20") && listed.ends_with("never used\n"), "{listed}");
    assert!(!listed.contains(&secret[6..]));
    for entry in fs::read_dir(directory.path()).unwrap() {
        let kept = fs::read(entry.unwrap().path()).unwrap();
        assert!(!text(&kept).contains(&secret[6..]), "the token itself is kept");
    }

    let again = token(directory.path(), &["create", "ci", "--role", "viewer"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("there is a token `ci` already"), "{}", text(&again.stderr));

    assert_eq!(text(&token(directory.path(), &["revoke", "ci"]).stderr), "The token `ci` is revoked.\n");
    assert!(text(&token(directory.path(), &["list"]).stdout).contains("revoked 20"));
    let twice = token(directory.path(), &["revoke", "ci"]);
    assert_eq!(twice.status.code(), Some(1));
    assert!(text(&twice.stderr).contains("there is no token `ci` that could be revoked"));
    assert_eq!(token(directory.path(), &["create", "ci", "--role", "viewer"]).status.code(), Some(0));
}

#[test]
fn wrong_names_and_roles_are_answered_with_what_would_be_right() {
    let directory = tempfile::tempdir().unwrap();
    let cases = [
        (&["create", "a b", "--role", "viewer"][..], "expected 1 to 64 letters, digits"),
        (&["create", "a", "--role", "root"], "expected one of: viewer, operator, admin"),
        (&["create", "a"], "--role"),
    ];
    for (arguments, told) in cases {
        let output = token(directory.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(told), "{}", text(&output.stderr));
    }
    let none = token(directory.path(), &["list"]);
    assert_eq!((none.status.code(), text(&none.stdout).as_str()), (Some(0), ""));
    assert!(text(&none.stderr).starts_with("There are no tokens"));
}
