//! Shell completions and manual pages.

use std::fs;
use std::process::Command;

use crate::tarsy::{run, text};

#[test]
fn completes_commands_and_flags() {
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let script = text(&run(&["completions", shell]).stdout);
        assert!(script.contains("investigate"), "{shell}: {script}");
    }
    let script = text(&run(&["completions", "bash"]).stdout);
    for (typed, expected) in
        [("inv", "investigate"), ("sessions wat", "watch"), ("investigate --inc", "--incident")]
    {
        assert_eq!(completed(&script, typed), expected);
    }
}

/// Returns the completion that bash computes for the input after `tarsy`.
fn completed(script: &str, typed: &str) -> String {
    let words = typed.split(' ').count();
    let last = typed.rsplit(' ').next().unwrap();
    let script = format!(
        "{script}\nCOMP_WORDS=(tarsy {typed}); COMP_CWORD={words}; _tarsy tarsy {last} ''; echo \"${{COMPREPLY[*]}}\""
    );
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).trim_end().to_owned()
}

#[test]
fn every_command_has_a_manual_page() {
    let page = text(&run(&["man"]).stdout);
    assert!(page.contains(".TH tarsy 1") && page.contains("tarsy\\-investigate(1)"), "{page}");
    let directory = tempfile::tempdir().unwrap();
    let pages = directory.path().join("man1");
    let output = run(&["man", "--directory", pages.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let investigate = fs::read_to_string(pages.join("tarsy-investigate.1")).unwrap();
    assert!(investigate.contains("Exit status"), "{investigate}");
    assert!(pages.join("tarsy-sessions-watch.1").exists() && !pages.join("tarsy-demo-cluster.1").exists());
}
