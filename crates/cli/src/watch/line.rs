//! One thing that is told about an investigation, as text with or without colours.

use console::Style;
use tarsy_domain::WorkStatus;

use crate::terminal::{line_of, printable};

/// What follows in a longer text is indented by this.
const INDENT: &str = "\n    ";
/// How much of a call is shown.
const CALL_CHARACTERS: usize = 300;
/// How much of a text is shown whose whole is not worth telling.
const GIST_CHARACTERS: usize = 160;

/// One thing that is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// What is investigated.
    Opening(String),
    /// A stage begins.
    Begun { stage: String, about: String },
    /// A stage has ended.
    Ended { stage: String, status: WorkStatus, about: String },
    /// An agent did something.
    Said { agent: Agent, verb: Verb, text: String },
    /// Something that nobody in particular did.
    Remark { verb: Verb, text: String },
}

/// An agent, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Agent {
    pub(super) name: String,
    /// Its number in the session, by which it has its colour.
    pub(super) number: usize,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Thinks,
    Says,
    Calls,
    Gets,
    SumsUp,
    Concludes,
    IsAsked,
    Decides,
    Hears,
    Warns,
    Fails,
}

/// How texts look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Coloured,
    Plain,
}

impl Line {
    /// The line for a screen. Nothing in it commands a terminal but its own colours.
    pub(super) fn render(&self, look: Look) -> String {
        let paint = |style: Style, text: &str| look.paint(style, text);
        match self {
            Self::Opening(text) => paint(Style::new().bold(), &line_of(text, usize::MAX)),
            Self::Begun { stage, about } => {
                format!(
                    "{} {}",
                    paint(Style::new().bold().cyan(), &format!("● {}", line_of(stage, usize::MAX))),
                    printable(about)
                )
            }
            Self::Ended { stage, status, about } => {
                let (mark, style) = mark(*status);
                let head = paint(style.bold(), &format!("{mark} {}", line_of(stage, usize::MAX)));
                format!("{head} {status}{}", printable(about))
            }
            Self::Said { agent, verb, text } => {
                let name = paint(agent.style(), &line_of(&agent.name, usize::MAX));
                format!(
                    "  {name} {}: {}",
                    paint(verb.style(), verb.word()),
                    paint(verb.style(), &verb.told(text))
                )
            }
            Self::Remark { verb, text } => {
                format!("  {}: {}", paint(verb.style(), verb.word()), verb.told(text))
            }
        }
    }
}

impl Look {
    fn paint(self, style: Style, text: &str) -> String {
        let styled = style.for_stderr().force_styling(self == Self::Coloured);
        styled.apply_to(text).to_string()
    }
}

impl Agent {
    fn style(&self) -> Style {
        let colours = [Style::cyan, Style::magenta, Style::blue, Style::green, Style::yellow];
        colours[self.number % colours.len()](Style::new()).bold()
    }
}

impl Verb {
    fn word(self) -> &'static str {
        match self {
            Self::Thinks => "thinks",
            Self::Says => "says",
            Self::Calls => "calls",
            Self::Gets => "gets",
            Self::SumsUp => "sums up",
            Self::Concludes => "concludes",
            Self::IsAsked => "is asked",
            Self::Decides => "which way",
            Self::Hears => "news of the alert",
            Self::Warns => "warning",
            Self::Fails => "error",
        }
    }

    fn style(self) -> Style {
        match self {
            Self::Thinks => Style::new().italic(),
            Self::Gets | Self::SumsUp => Style::new().dim(),
            Self::Calls => Style::new().blue(),
            Self::Warns => Style::new().yellow(),
            Self::Fails => Style::new().red(),
            Self::Says | Self::Concludes | Self::IsAsked | Self::Decides | Self::Hears => Style::new(),
        }
    }

    /// As much of a text as is told.
    fn told(self, text: &str) -> String {
        match self {
            Self::Calls => line_of(text, CALL_CHARACTERS),
            Self::Gets => gist(text, |_| true),
            // A heading says nothing yet.
            Self::Concludes => gist(text, |line| !line.starts_with('#')),
            Self::Thinks
            | Self::Says
            | Self::SumsUp
            | Self::IsAsked
            | Self::Decides
            | Self::Hears
            | Self::Warns
            | Self::Fails => printable(text).trim().replace('\n', INDENT),
        }
    }
}

/// The first line that says something, and how much more there is.
fn gist(text: &str, says_something: impl Fn(&str) -> bool) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let begins = lines().find(|line| says_something(line)).or(lines().next()).unwrap_or("nothing");
    let begins = line_of(begins, GIST_CHARACTERS);
    match text.trim().lines().count() {
        0 | 1 => begins,
        lines => format!("{begins} ({lines} lines)"),
    }
}

/// How an ended stage is marked.
fn mark(status: WorkStatus) -> (char, Style) {
    match status {
        WorkStatus::Completed => ('✔', Style::new().green()),
        WorkStatus::Skipped => ('○', Style::new().dim()),
        WorkStatus::Failed | WorkStatus::TimedOut | WorkStatus::Cancelled => ('✘', Style::new().red()),
        WorkStatus::Pending | WorkStatus::Active => ('●', Style::new().cyan()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(verb: Verb, text: &str) -> Line {
        Line::Said { agent: Agent { name: "Looker".to_owned(), number: 0 }, verb, text: text.to_owned() }
    }

    #[test]
    fn a_thought_is_told_whole_and_a_result_by_its_beginning() {
        let thinks = said(Verb::Thinks, "First this.\nThen that.\n").render(Look::Plain);
        assert_eq!(thinks, "  Looker thinks: First this.\n    Then that.");
        let gets = said(Verb::Gets, "\nNAME   READY\na      1/1\n").render(Look::Plain);
        assert_eq!(gets, "  Looker gets: NAME READY (2 lines)");
        let concludes = said(Verb::Concludes, "## Findings\n\nNone.").render(Look::Plain);
        assert_eq!(concludes, "  Looker concludes: None. (3 lines)");
        assert_eq!(said(Verb::Gets, "").render(Look::Plain), "  Looker gets: nothing");
    }

    #[test]
    fn texts_of_others_bring_no_colours_of_their_own() {
        let hostile = "\u{1b}[2J\u{1b}]0;owned\u{7}red";
        let line = Line::Said {
            agent: Agent { name: hostile.to_owned(), number: 0 },
            verb: Verb::Says,
            text: hostile.to_owned(),
        };
        assert!(!line.render(Look::Plain).contains(['\u{1b}', '\u{7}']));
        let coloured = line.render(Look::Coloured);
        assert!(coloured.contains("\u{1b}[") && !coloured.contains("\u{1b}[2J"), "{coloured:?}");
    }

    #[test]
    fn how_a_stage_ended_is_seen_from_its_mark() {
        for (status, begins) in
            [(WorkStatus::Completed, "✔ look completed"), (WorkStatus::TimedOut, "✘ look timed_out")]
        {
            let line = Line::Ended { stage: "look".to_owned(), status, about: " after 2 s".to_owned() };
            assert_eq!(line.render(Look::Plain), format!("{begins} after 2 s"));
        }
    }
}
