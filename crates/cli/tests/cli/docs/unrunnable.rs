//! Checks commands that a test cannot run, because they need a program that a test machine does not have: the program must
//! be listed below, the files it names must exist, and the arguments of `tarsy` must be valid.

use std::process::{Command, Stdio};

use super::command::words;
use super::markdown::Block;
use super::page::PageError;
use super::repository;

/// Programs that are not run, with the reason.
const EXEMPT: &[(&str, &str)] = &[
    ("docker", "needs a daemon and downloads images"),
    ("kubectl", "needs a cluster"),
    ("systemctl", "changes the machine"),
    ("sudo", "changes the machine"),
    ("tarsy", "would need a cluster, or a server that `npx` downloads"),
];

/// Folders of the repository whose files commands may name.
const FOLDERS: &[&str] = &["config", "docs", "packaging", "scripts"];

/// Checks a block of commands, each after `$ `, with their output between them.
pub(crate) fn check(block: &Block) -> Result<(), PageError> {
    let lines = block.text.lines().zip(block.line..);
    let commands = lines.filter_map(|(line, number)| Some((number, line.strip_prefix("$ ")?)));
    let mut count = 0;
    for (number, command) in commands {
        check_command(command).map_err(|what| PageError::at(number, format!("`{command}`: {what}")))?;
        count += 1;
    }
    if count == 0 {
        return Err(PageError::at(block.line, "no line starts with `$ `, so the block has no command"));
    }
    Ok(())
}

fn check_command(command: &str) -> Result<(), String> {
    let program = words(command).next().unwrap_or_default();
    if !EXEMPT.iter().any(|(exempt, _)| *exempt == program) {
        return Err(format!("`{program}` can be run, so the block should be `sh`"));
    }
    let missing = words(command).filter(|word| is_repository_file(word)).find(|word| !repository::has(word));
    if let Some(missing) = missing {
        return Err(format!("{missing} does not exist in the repository"));
    }
    if program == "tarsy" { check_arguments(command) } else { Ok(()) }
}

fn is_repository_file(word: &str) -> bool {
    let first = word.split('/').next().unwrap_or_default();
    FOLDERS.contains(&first) || ["compose.yaml", "Dockerfile"].contains(&word)
}

/// Checks the arguments of a command: with `--help`, clap validates them and does nothing else.
pub(crate) fn check_arguments(command: &str) -> Result<(), String> {
    let output = Command::new("bash")
        .args(["-c", &format!("{command} --help")])
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", program_folder()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

fn program_folder() -> String {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_tarsy"));
    program.parent().unwrap().display().to_string()
}

#[test]
fn checks_commands_without_running_them() {
    let checked = |text: &str| {
        let block = Block { language: "console".to_owned(), line: 7, text: text.to_owned() };
        check(&block).map_err(|error| error.to_string())
    };
    assert_eq!(checked("$ tarsy tools --server x\nx  ready\n"), Ok(()));
    assert_eq!(checked("$ kubectl apply -f config/tarsy.yaml\n"), Ok(()));
    let rejected = [
        ("$ tarsy tools --sever x\n", "--sever"),
        ("$ kubectl apply -k packaging/nowhere\n", "packaging/nowhere does not exist"),
        ("$ echo hello\n", "`echo` can be run"),
        ("docker run tarsy\n", "no line starts"),
    ];
    for (text, why) in rejected {
        let error = checked(text).unwrap_err();
        assert!(error.starts_with("7: ") && error.contains(why), "{error}");
    }
}
