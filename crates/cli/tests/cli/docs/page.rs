//! A page is followed from top to bottom, in a place of its own.
//!
//! | block | what is done |
//! |---|---|
//! | `sh` | every command is run, and must end with 0 or with what a comment says; servers are started and left running |
//! | `console` | commands after `$ ` need what a test has not; they are looked at, not run |
//! | `yaml`, `jinja` | written to the file that their first line names; a configuration is checked |
//! | `json` | must be JSON |
//! | none | a picture or an output, left alone |

use std::fmt;

use super::command::{Command, Kind, commands};
use super::markdown::{Block, Markdown};
use super::sandbox::Sandbox;
use super::{console, repository};

/// Blocks that say what to do, or what to write.
pub(crate) const LANGUAGES: &[&str] = &["sh", "console", "yaml", "jinja", "json"];

/// Files that `tarsy check` understands, by the names of today and of before.
const CONFIGURATION: &[&str] = &["tarsy.yaml", "llm-providers.yaml", "agents.yaml", "llm_providers.yaml"];

/// Why a page cannot be followed.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) line: usize,
    pub(crate) what: String,
    /// What a command had to say.
    pub(crate) output: String,
}

impl Trouble {
    pub(crate) fn at(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into(), output: String::new() }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}\n{}", self.line, self.what, self.output)
    }
}

/// Follows a page to its end, or to the first thing in it that does not work.
pub(crate) fn follow(path: &str, text: &str) -> Result<(), String> {
    let mut sandbox = Sandbox::open(text);
    for block in Markdown::read(text).blocks {
        follow_block(&mut sandbox, &block).map_err(|trouble| format!("{path}:{trouble}"))?;
    }
    Ok(())
}

fn follow_block(sandbox: &mut Sandbox, block: &Block) -> Result<(), Trouble> {
    match block.language.as_str() {
        "" => Ok(()),
        "sh" => commands(block).iter().try_for_each(|command| carry_out(sandbox, command)),
        "console" => console::look_at(block),
        "yaml" | "jinja" => write_file(sandbox, block),
        "json" => serde_json::from_str::<serde_json::Value>(&block.text)
            .map(drop)
            .map_err(|error| Trouble::at(block.line, format!("this is no JSON: {error}"))),
        other => Err(Trouble::at(block.line, format!("nobody knows what to do with a block of `{other}`"))),
    }
}

fn carry_out(sandbox: &mut Sandbox, command: &Command) -> Result<(), Trouble> {
    match command.kind() {
        Kind::Runs => run(sandbox, command),
        Kind::Serves { program, listen } => sandbox.serve(&command.text, program, listen).map_err(|output| {
            let what = format!("`{}` does not listen:", command.text.trim());
            Trouble { line: command.line, what, output }
        }),
        Kind::Makes { target } => make(sandbox, command.line, target),
    }
}

/// Building and testing is what is being done already. What is left of `make demo` after it has built is the demo.
fn make(sandbox: &mut Sandbox, line: usize, target: &str) -> Result<(), Trouble> {
    if !repository::read("Makefile").lines().any(|rule| rule.starts_with(&format!("{target}:"))) {
        return Err(Trouble::at(line, format!("the Makefile has no target `{target}`")));
    }
    if target != "demo" {
        return Ok(());
    }
    sandbox.build();
    carry_out(sandbox, &Command { line, text: "tarsy demo".to_owned(), exit_status: 0 })
}

fn run(sandbox: &mut Sandbox, command: &Command) -> Result<(), Trouble> {
    let ran = sandbox.run(&command.text);
    if ran.status == Some(command.exit_status) {
        return Ok(());
    }
    let ended = ran.status.map_or("did not end".to_owned(), |status| format!("ended with {status}"));
    let what = format!("`{}` {ended}, expected {}:", command.text.trim(), command.exit_status);
    Err(Trouble { line: command.line, what, output: ran.output })
}

fn write_file(sandbox: &mut Sandbox, block: &Block) -> Result<(), Trouble> {
    let Some(file) = block.file() else {
        return Err(Trouble::at(block.line, "say in a comment in the first line which file this is"));
    };
    sandbox.write(file, &block.text);
    let (folder, name) = file.rsplit_once('/').unwrap_or((".", file));
    if CONFIGURATION.contains(&name) {
        run(sandbox, &Command { line: block.line, text: format!("tarsy check {folder}"), exit_status: 0 })?;
    }
    Ok(())
}

#[test]
fn a_command_that_fails_is_named_with_its_page_its_line_and_what_it_said() {
    let failure = follow("a.md", "Try:\n\n```sh\ntrue\nls nowhere\n```\n").unwrap_err();
    assert!(failure.starts_with("a.md:5: `ls nowhere` ended with 2, expected 0:"), "{failure}");
    assert!(failure.contains("No such file"), "{failure}");
}

#[test]
fn what_a_page_sets_and_writes_is_there_for_the_rest_of_it() {
    let page = "```yaml\n# config/tarsy.yaml\nqueue: { worker_count: 2 }\n```\n\n```sh\nexport A=b\ncd config\n```\n\n```sh\n\
                test \"$A\" = b\ngrep worker_count tarsy.yaml | grep 2\nfalse | true   # exit status 1\n```\n";
    follow("a.md", page).unwrap();
}

#[test]
fn what_is_built_is_there_already() {
    follow("a.md", "```sh\nmake demo\ncurl -sf http://localhost:8080/health\ntarget/release/tarsy --version\nmake test\n```\n").unwrap();
    let failure = follow("a.md", "```sh\nmake coffee\n```\n").unwrap_err();
    assert!(failure.starts_with("a.md:2: the Makefile has no target `coffee`"), "{failure}");
}

#[test]
fn a_configuration_that_is_wrong_is_noticed() {
    let failure = follow("a.md", "```yaml\n# tarsy.yaml\nqueue: { workers: 2 }\n```\n").unwrap_err();
    assert!(
        failure.contains("a.md:2: `tarsy check .` ended with 1") && failure.contains("workers"),
        "{failure}"
    );
}
