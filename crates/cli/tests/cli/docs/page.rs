//! Executes a page from top to bottom in a sandbox.
//!
//! | block | action |
//! |---|---|
//! | `sh` | runs every command, which must exit with 0 or the status in its comment; servers keep running |
//! | `console` | checks commands after `$ ` without running them, because a test machine lacks what they need |
//! | `yaml`, `jinja` | writes the file named in the first line, and checks it if it is a configuration |
//! | `json` | must be valid JSON |
//! | none | ignored: a diagram or output |

use std::fmt;

use super::command::{CommandKind, PageCommand, commands};
use super::markdown::{Block, Markdown};
use super::sandbox::Sandbox;
use super::{repository, unrunnable};

/// The languages of blocks that are executed, written or checked.
pub(crate) const LANGUAGES: &[&str] = &["sh", "console", "yaml", "jinja", "json"];

/// The files that `tarsy check` reads, including the names of upstream TARSy.
const CONFIGURATION: &[&str] = &["tarsy.yaml", "llm-providers.yaml", "agents.yaml", "llm_providers.yaml"];

/// Why a page does not work.
#[derive(Debug)]
pub(crate) struct PageError {
    pub(crate) line: usize,
    pub(crate) what: String,
    /// The output of the command.
    pub(crate) output: String,
}

impl PageError {
    pub(crate) fn at(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into(), output: String::new() }
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}\n{}", self.line, self.what, self.output)
    }
}

/// Executes a page until its end or the first error.
pub(crate) fn run(path: &str, text: &str) -> Result<(), String> {
    let mut sandbox = Sandbox::open(text);
    for block in Markdown::read(text).blocks {
        run_block(&mut sandbox, &block).map_err(|error| format!("{path}:{error}"))?;
    }
    Ok(())
}

fn run_block(sandbox: &mut Sandbox, block: &Block) -> Result<(), PageError> {
    match block.language.as_str() {
        "" => Ok(()),
        "sh" => commands(block).iter().try_for_each(|command| execute(sandbox, command)),
        "console" => unrunnable::check(block),
        "yaml" | "jinja" => write_file(sandbox, block),
        "json" => serde_json::from_str::<serde_json::Value>(&block.text)
            .map(drop)
            .map_err(|error| PageError::at(block.line, format!("invalid JSON: {error}"))),
        other => Err(PageError::at(block.line, format!("unknown language `{other}`"))),
    }
}

fn execute(sandbox: &mut Sandbox, command: &PageCommand) -> Result<(), PageError> {
    match command.kind() {
        CommandKind::Runs => run_command(sandbox, command),
        CommandKind::Serves { program, listen } => {
            sandbox.serve(&command.text, program, listen).map_err(|output| {
                let what = format!("`{}` did not start listening:", command.text.trim());
                PageError { line: command.line, what, output }
            })
        }
        CommandKind::Makes { target } => make(sandbox, command.line, target),
    }
}

/// The tests run after a build, so targets are not executed, except for `make demo`, which starts the demo.
fn make(sandbox: &mut Sandbox, line: usize, target: &str) -> Result<(), PageError> {
    if !repository::read("Makefile").lines().any(|rule| rule.starts_with(&format!("{target}:"))) {
        return Err(PageError::at(line, format!("the Makefile has no target `{target}`")));
    }
    if target != "demo" {
        return Ok(());
    }
    sandbox.build();
    execute(sandbox, &PageCommand { line, text: "tarsy demo".to_owned(), exit_status: 0 })
}

fn run_command(sandbox: &mut Sandbox, command: &PageCommand) -> Result<(), PageError> {
    let result = sandbox.run(&command.text);
    if result.status == Some(command.exit_status) {
        return Ok(());
    }
    let ended = result.status.map_or("did not exit".to_owned(), |status| format!("exited with {status}"));
    let what = format!("`{}` {ended}, expected {}:", command.text.trim(), command.exit_status);
    Err(PageError { line: command.line, what, output: result.output })
}

fn write_file(sandbox: &mut Sandbox, block: &Block) -> Result<(), PageError> {
    let Some(file) = block.file() else {
        return Err(PageError::at(block.line, "name the file in a comment on the first line"));
    };
    sandbox.write(file, &block.text);
    let (folder, name) = file.rsplit_once('/').unwrap_or((".", file));
    if CONFIGURATION.contains(&name) {
        run_command(
            sandbox,
            &PageCommand { line: block.line, text: format!("tarsy check {folder}"), exit_status: 0 },
        )?;
    }
    Ok(())
}

#[test]
fn the_error_for_a_failed_command_has_its_position_and_output() {
    let error = run("a.md", "Try:\n\n```sh\ntrue\nls nowhere\n```\n").unwrap_err();
    assert!(error.starts_with("a.md:5: `ls nowhere` exited with 2, expected 0:"), "{error}");
    assert!(error.contains("No such file"), "{error}");
}

#[test]
fn variables_and_files_persist_within_a_page() {
    let page = "```yaml\n# config/tarsy.yaml\nqueue: { worker_count: 2 }\n```\n\n```sh\nexport A=b\ncd config\n```\n\n```sh\n\
                test \"$A\" = b\ngrep worker_count tarsy.yaml | grep 2\nfalse | true   # exit status 1\n```\n";
    run("a.md", page).unwrap();
}

#[test]
fn make_targets_are_not_executed() {
    run("a.md", "```sh\nmake demo\ncurl -sf http://localhost:8080/health\ntarget/release/tarsy --version\nmake test\n```\n").unwrap();
    let error = run("a.md", "```sh\nmake coffee\n```\n").unwrap_err();
    assert!(error.starts_with("a.md:2: the Makefile has no target `coffee`"), "{error}");
}

#[test]
fn an_invalid_configuration_is_an_error() {
    let error = run("a.md", "```yaml\n# tarsy.yaml\nqueue: { workers: 2 }\n```\n").unwrap_err();
    assert!(error.contains("a.md:2: `tarsy check .` exited with 1") && error.contains("workers"), "{error}");
}
