//! Commands that a test cannot run, because they need a program or a place that a test machine has not. They are few, and
//! looked at all the same: the program must be one of those below, the files it names must be there, and what is said to
//! `tarsy` must be understood.

use std::process::{Command, Stdio};

use super::command::words;
use super::markdown::Block;
use super::page::Trouble;
use super::repository;

/// Programs that are not run, and why.
const EXEMPT: &[(&str, &str)] = &[
    ("docker", "it needs a daemon, and fetches images"),
    ("kubectl", "it needs a cluster"),
    ("systemctl", "it changes the machine"),
    ("sudo", "it changes the machine"),
    ("tarsy", "it would need a cluster, or a server that `npx` fetches"),
];

/// Where files of the repository are that commands may name.
const FOLDERS: &[&str] = &["config", "docs", "packaging", "scripts"];

/// Looks at a block of commands, each after `$ `, with what they say between them.
pub(crate) fn look_at(block: &Block) -> Result<(), Trouble> {
    let lines = block.text.lines().zip(block.line..);
    let commands = lines.filter_map(|(line, number)| Some((number, line.strip_prefix("$ ")?)));
    let mut seen = 0;
    for (number, command) in commands {
        judge(command).map_err(|what| Trouble::at(number, format!("`{command}`: {what}")))?;
        seen += 1;
    }
    if seen == 0 {
        return Err(Trouble::at(block.line, "no line begins with `$ `, so there is no command in it"));
    }
    Ok(())
}

fn judge(command: &str) -> Result<(), String> {
    let program = words(command).next().unwrap_or_default();
    if !EXEMPT.iter().any(|(exempt, _)| *exempt == program) {
        return Err(format!("`{program}` can be run, so the block should be `sh`"));
    }
    let missing = words(command).filter(|word| is_file_of_ours(word)).find(|word| !repository::has(word));
    if let Some(missing) = missing {
        return Err(format!("there is no {missing} in the repository"));
    }
    if program == "tarsy" { understood(command) } else { Ok(()) }
}

fn is_file_of_ours(word: &str) -> bool {
    let first = word.split('/').next().unwrap_or_default();
    FOLDERS.contains(&first) || ["compose.yaml", "Dockerfile"].contains(&word)
}

/// Whether the program understands its arguments. It reads them all before it shows its help, and does nothing else.
pub(crate) fn understood(command: &str) -> Result<(), String> {
    let called = Command::new("bash")
        .args(["-c", &format!("{command} --help")])
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", program_folder()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if called.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&called.stderr).into_owned())
}

fn program_folder() -> String {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_tarsy"));
    program.parent().unwrap().display().to_string()
}

#[test]
fn what_cannot_be_run_is_looked_at() {
    let look = |text: &str| {
        let block = Block { language: "console".to_owned(), line: 7, text: text.to_owned() };
        look_at(&block).map_err(|trouble| trouble.to_string())
    };
    assert_eq!(look("$ tarsy tools --server x\nx  ready\n"), Ok(()));
    assert_eq!(look("$ kubectl apply -f config/tarsy.yaml\n"), Ok(()));
    let refused = [
        ("$ tarsy tools --sever x\n", "--sever"),
        ("$ kubectl apply -k packaging/nowhere\n", "no packaging/nowhere"),
        ("$ echo hello\n", "`echo` can be run"),
        ("docker run tarsy\n", "no line begins"),
    ];
    for (text, why) in refused {
        let trouble = look(text).unwrap_err();
        assert!(trouble.starts_with("7: ") && trouble.contains(why), "{trouble}");
    }
}
