//! `tarsy token`.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::tarsy::{run, text};

fn token(data: &Path, arguments: &[&str]) -> Output {
    let data = data.display().to_string();
    run(&[&["token"], arguments, &["--data-dir", &data]].concat())
}

#[test]
fn a_token_is_printed_once_listed_and_revoked() {
    let directory = tempfile::tempdir().unwrap();
    let created = token(directory.path(), &["create", "ci", "--role", "operator"]);
    assert_eq!(created.status.code(), Some(0), "{}", text(&created.stderr));
    let secret = text(&created.stdout).trim_end().to_owned();
    assert!(secret.starts_with("tarsy_") && secret.len() == 70, "{secret}");
    assert_eq!(text(&created.stderr), "Created the token `ci` (operator). It cannot be shown again.\n");

    let listed = text(&token(directory.path(), &["list"]).stdout);
    assert!(listed.starts_with("ci  operator  created 20") && listed.ends_with("never used\n"), "{listed}");
    assert!(!listed.contains(&secret[6..]));
    for entry in fs::read_dir(directory.path()).unwrap() {
        let file = fs::read(entry.unwrap().path()).unwrap();
        assert!(!text(&file).contains(&secret[6..]), "the token itself is stored");
    }

    let again = token(directory.path(), &["create", "ci", "--role", "viewer"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("a token named `ci` exists already"), "{}", text(&again.stderr));

    assert_eq!(text(&token(directory.path(), &["revoke", "ci"]).stderr), "Revoked the token `ci`.\n");
    assert!(text(&token(directory.path(), &["list"]).stdout).contains("revoked 20"));
    let twice = token(directory.path(), &["revoke", "ci"]);
    assert_eq!(twice.status.code(), Some(1));
    assert!(text(&twice.stderr).contains("there is no active token `ci`"));
    assert_eq!(token(directory.path(), &["create", "ci", "--role", "viewer"]).status.code(), Some(0));
}

#[test]
fn rejects_invalid_names_and_roles() {
    let directory = tempfile::tempdir().unwrap();
    let cases = [
        (&["create", "a b", "--role", "viewer"][..], "expected 1 to 64 letters, digits"),
        (&["create", "a", "--role", "root"], "expected one of: viewer, operator, admin"),
        (&["create", "a"], "--role"),
    ];
    for (arguments, expected) in cases {
        let output = token(directory.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
    }
    let none = token(directory.path(), &["list"]);
    assert_eq!((none.status.code(), text(&none.stdout).as_str()), (Some(0), ""));
    assert!(text(&none.stderr).starts_with("There are no tokens"));
}
