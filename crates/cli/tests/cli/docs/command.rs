//! The commands of a block: where each begins, how it should end, and what has to be done about it.

use std::process;

use super::markdown::Block;

/// A command of a page.
#[derive(Debug, PartialEq)]
pub(crate) struct Command {
    /// The line in the page.
    pub(crate) line: usize,
    pub(crate) text: String,
    /// What it is to end with: 0, unless `# exit status 3` says otherwise.
    pub(crate) exit_status: i32,
}

/// What has to be done about a command.
#[derive(Debug, PartialEq)]
pub(crate) enum Kind<'a> {
    /// Run it to its end.
    Runs,
    /// Start it and leave it alone; it listens on this address, or on its usual one.
    Serves { program: &'a str, listen: Option<&'a str> },
    /// A target of the Makefile.
    Makes { target: &'a str },
}

/// The commands of a block, in order; the last one may be half of one.
pub(crate) fn commands(block: &Block) -> Vec<Command> {
    let mut commands = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (line, number) in block.text.lines().zip(block.line..) {
        if open.is_none() && (line.trim().is_empty() || line.starts_with('#')) {
            continue;
        }
        let (begin, mut text) = open.take().unwrap_or((number, String::new()));
        text.push_str(line);
        text.push('\n');
        if is_whole(&text) {
            commands.push(Command::new(begin, text));
        } else {
            open = Some((begin, text));
        }
    }
    commands.extend(open.map(|(begin, text)| Command::new(begin, text)));
    commands
}

/// Bash knows best where a command ends: quotes, loops and here-documents go over several lines.
fn is_whole(text: &str) -> bool {
    if text.trim_end().ends_with('\\') {
        return false;
    }
    let read = process::Command::new("bash").args(["-n", "-c", text]).output().unwrap();
    read.status.success() && read.stderr.is_empty()
}

impl Command {
    fn new(line: usize, text: String) -> Self {
        let said = text.split_once("# exit status ").and_then(|(_, status)| status.trim().parse().ok());
        Self { line, exit_status: said.unwrap_or(0), text }
    }

    pub(crate) fn kind(&self) -> Kind<'_> {
        let words: Vec<&str> = words(&self.text).collect();
        match words.as_slice() {
            ["make", target, ..] => Kind::Makes { target },
            ["tarsy", program @ ("serve" | "demo" | "llm-serve"), arguments @ ..] => {
                let listen = arguments.iter().position(|argument| *argument == "--listen");
                Kind::Serves { program, listen: listen.and_then(|place| arguments.get(place + 1).copied()) }
            }
            _ => Kind::Runs,
        }
    }
}

/// The words of a command, from the name of its program on.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_setting =
        |word: &&str| word.split_once('=').is_some_and(|(name, _)| name.chars().all(is_of_a_name));
    text.split_whitespace().skip_while(is_setting)
}

fn is_of_a_name(char: char) -> bool {
    char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_'
}

#[test]
fn commands_end_where_bash_says() {
    let text = "# Why.\ntrue\n\ncurl a \\\n  b\ncat > x <<'END'\none\n\ntwo\nEND\nfalse   # exit status 1\n";
    let block = Block { language: "sh".to_owned(), line: 10, text: text.to_owned() };
    let found: Vec<(usize, i32)> =
        commands(&block).iter().map(|command| (command.line, command.exit_status)).collect();
    assert_eq!(found, [(11, 0), (13, 0), (15, 0), (20, 1)]);
}

#[test]
fn servers_are_told_from_other_commands() {
    let kinds = |text: &str| format!("{:?}", Command::new(1, text.to_owned()).kind());
    assert_eq!(
        kinds("A_B=c tarsy serve --listen 1:2"),
        r#"Serves { program: "serve", listen: Some("1:2") }"#
    );
    assert_eq!(kinds("tarsy demo 2> log"), r#"Serves { program: "demo", listen: None }"#);
    assert_eq!(kinds("make demo   # builds"), r#"Makes { target: "demo" }"#);
    assert_eq!(kinds("tarsy sessions list"), "Runs");
}
