//! The commands of a block: their positions, expected exit statuses and kinds.

use std::process;

use super::markdown::Block;

/// A command of a page.
#[derive(Debug, PartialEq)]
pub(crate) struct PageCommand {
    /// The line in the page.
    pub(crate) line: usize,
    pub(crate) text: String,
    /// The expected exit status: 0, unless a comment such as `# exit status 3` follows.
    pub(crate) exit_status: i32,
}

/// The kind of a command.
#[derive(Debug, PartialEq)]
pub(crate) enum CommandKind<'a> {
    /// A command that exits.
    Runs,
    /// A server, which keeps running. It listens on this address, or on its default one.
    Serves { program: &'a str, listen: Option<&'a str> },
    /// A target of the Makefile.
    Makes { target: &'a str },
}

/// Returns the commands of a block in order. The last one may be incomplete.
pub(crate) fn commands(block: &Block) -> Vec<PageCommand> {
    let mut commands = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (line, number) in block.text.lines().zip(block.line..) {
        if open.is_none() && (line.trim().is_empty() || line.starts_with('#')) {
            continue;
        }
        let (begin, mut text) = open.take().unwrap_or((number, String::new()));
        text.push_str(line);
        text.push('\n');
        if is_complete(&text) {
            commands.push(PageCommand::new(begin, text));
        } else {
            open = Some((begin, text));
        }
    }
    commands.extend(open.map(|(begin, text)| PageCommand::new(begin, text)));
    commands
}

/// Returns whether bash accepts the text. Quotes, loops and here-documents span several lines.
fn is_complete(text: &str) -> bool {
    if text.trim_end().ends_with('\\') {
        return false;
    }
    let read = process::Command::new("bash").args(["-n", "-c", text]).output().unwrap();
    read.status.success() && read.stderr.is_empty()
}

impl PageCommand {
    fn new(line: usize, text: String) -> Self {
        let exit_status =
            text.split_once("# exit status ").and_then(|(_, status)| status.trim().parse().ok());
        Self { line, exit_status: exit_status.unwrap_or(0), text }
    }

    pub(crate) fn kind(&self) -> CommandKind<'_> {
        let words: Vec<&str> = words(&self.text).collect();
        match words.as_slice() {
            ["make", target, ..] => CommandKind::Makes { target },
            ["tarsy", program @ ("serve" | "demo" | "llm-serve"), arguments @ ..] => {
                let listen = arguments.iter().position(|argument| *argument == "--listen");
                CommandKind::Serves {
                    program,
                    listen: listen.and_then(|index| arguments.get(index + 1).copied()),
                }
            }
            _ => CommandKind::Runs,
        }
    }
}

/// Returns the words of a command from the program name on, without variable assignments.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_assignment =
        |word: &&str| word.split_once('=').is_some_and(|(name, _)| name.chars().all(is_name_char));
    text.split_whitespace().skip_while(is_assignment)
}

fn is_name_char(char: char) -> bool {
    char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_'
}

#[test]
fn splits_commands_as_bash_does() {
    let text = "# Why.\ntrue\n\ncurl a \\\n  b\ncat > x <<'END'\none\n\ntwo\nEND\nfalse   # exit status 1\n";
    let block = Block { language: "sh".to_owned(), line: 10, text: text.to_owned() };
    let found: Vec<(usize, i32)> =
        commands(&block).iter().map(|command| (command.line, command.exit_status)).collect();
    assert_eq!(found, [(11, 0), (13, 0), (15, 0), (20, 1)]);
}

#[test]
fn distinguishes_servers_from_other_commands() {
    let kinds = |text: &str| format!("{:?}", PageCommand::new(1, text.to_owned()).kind());
    assert_eq!(
        kinds("A_B=c tarsy serve --listen 1:2"),
        r#"Serves { program: "serve", listen: Some("1:2") }"#
    );
    assert_eq!(kinds("tarsy demo 2> log"), r#"Serves { program: "demo", listen: None }"#);
    assert_eq!(kinds("make demo   # builds"), r#"Makes { target: "demo" }"#);
    assert_eq!(kinds("tarsy sessions list"), "Runs");
}
