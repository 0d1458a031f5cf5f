//! One printed line about a session, with or without colors.

use console::Style;
use tarsy_domain::WorkStatus;

use crate::terminal::{sanitize, single_line};

/// The line break and indentation within a longer text.
const INDENT: &str = "\n    ";
/// The maximum length of a call.
const CALL_CHARACTERS: usize = 300;
/// The maximum length of the first line of a shortened text.
const FIRST_LINE_CHARACTERS: usize = 160;

/// One line about a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WatchLine {
    /// The alert, the chain and the session.
    Header(String),
    /// The start of a stage.
    StageStarted { stage: String, details: String },
    /// The end of a stage.
    StageEnded { stage: String, status: WorkStatus, details: String },
    /// A timeline entry of an agent.
    AgentEntry { agent: AgentLabel, kind: EntryKind, text: String },
    /// What an agent waits for. A terminal shows it as the current activity instead.
    Waiting { agent: AgentLabel, text: String },
    /// A timeline entry of the session.
    SessionEntry { kind: EntryKind, text: String },
}

/// An agent with its color.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AgentLabel {
    pub(super) name: String,
    /// The index of the execution in the session, which selects the color.
    pub(super) number: usize,
}

/// The kind of a timeline entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    Thinking,
    Reply,
    ToolCall,
    ToolResult,
    Summary,
    Conclusion,
    Question,
    Routing,
    AlertUpdate,
    Warning,
    Error,
}

/// Whether output is colored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColorMode {
    Colored,
    Plain,
}

impl WatchLine {
    /// Formats the line. Control characters in untrusted texts are removed.
    pub(super) fn render(&self, colors: ColorMode) -> String {
        let paint = |style: Style, text: &str| colors.paint(style, text);
        match self {
            Self::Header(text) => paint(Style::new().bold(), &single_line(text, usize::MAX)),
            Self::StageStarted { stage, details } => {
                format!(
                    "{} {}",
                    paint(Style::new().bold().cyan(), &format!("● {}", single_line(stage, usize::MAX))),
                    sanitize(details)
                )
            }
            Self::StageEnded { stage, status, details } => {
                let (marker, style) = marker(*status);
                let head = paint(style.bold(), &format!("{marker} {}", single_line(stage, usize::MAX)));
                format!("{head} {status}{}", sanitize(details))
            }
            Self::AgentEntry { agent, kind, text } => {
                let name = paint(agent.style(), &single_line(&agent.name, usize::MAX));
                format!(
                    "  {name} {}: {}",
                    paint(kind.style(), kind.label()),
                    paint(kind.style(), &kind.shorten(text))
                )
            }
            Self::Waiting { agent, text } => {
                let name = paint(agent.style(), &single_line(&agent.name, usize::MAX));
                format!("  {name} {}", paint(Style::new().dim(), &single_line(text, usize::MAX)))
            }
            Self::SessionEntry { kind, text } => {
                format!("  {}: {}", paint(kind.style(), kind.label()), kind.shorten(text))
            }
        }
    }
}

impl ColorMode {
    fn paint(self, style: Style, text: &str) -> String {
        let styled = style.for_stderr().force_styling(self == Self::Colored);
        styled.apply_to(text).to_string()
    }
}

impl AgentLabel {
    fn style(&self) -> Style {
        let colors = [Style::cyan, Style::magenta, Style::blue, Style::green, Style::yellow];
        colors[self.number % colors.len()](Style::new()).bold()
    }
}

impl EntryKind {
    fn label(self) -> &'static str {
        match self {
            Self::Thinking => "thinking",
            Self::Reply => "reply",
            Self::ToolCall => "call",
            Self::ToolResult => "result",
            Self::Summary => "summary",
            Self::Conclusion => "conclusion",
            Self::Question => "question",
            Self::Routing => "routing",
            Self::AlertUpdate => "alert update",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    fn style(self) -> Style {
        match self {
            Self::Thinking => Style::new().italic(),
            Self::ToolResult | Self::Summary => Style::new().dim(),
            Self::ToolCall => Style::new().blue(),
            Self::Warning => Style::new().yellow(),
            Self::Error => Style::new().red(),
            Self::Reply | Self::Conclusion | Self::Question | Self::Routing | Self::AlertUpdate => {
                Style::new()
            }
        }
    }

    /// Shortens a text as far as this kind of entry requires.
    fn shorten(self, text: &str) -> String {
        match self {
            Self::ToolCall => single_line(text, CALL_CHARACTERS),
            Self::ToolResult => first_line(text, |_| true),
            // Headings carry no information.
            Self::Conclusion => first_line(text, |line| !line.starts_with('#')),
            Self::Thinking
            | Self::Reply
            | Self::Summary
            | Self::Question
            | Self::Routing
            | Self::AlertUpdate
            | Self::Warning
            | Self::Error => sanitize(text).trim().replace('\n', INDENT),
        }
    }
}

/// Returns the first non-blank line that matches, and the number of lines.
fn first_line(text: &str, predicate: impl Fn(&str) -> bool) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let first = lines().find(|line| predicate(line)).or(lines().next()).unwrap_or("(empty)");
    let first = single_line(first, FIRST_LINE_CHARACTERS);
    match text.trim().lines().count() {
        0 | 1 => first,
        lines => format!("{first} ({lines} lines)"),
    }
}

/// Returns the marker of a stage.
fn marker(status: WorkStatus) -> (char, Style) {
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

    fn entry(kind: EntryKind, text: &str) -> String {
        let agent = AgentLabel { name: "Looker".to_owned(), number: 0 };
        WatchLine::AgentEntry { agent, kind, text: text.to_owned() }.render(ColorMode::Plain)
    }

    #[test]
    fn thoughts_are_complete_and_results_are_shortened() {
        let thinking = entry(EntryKind::Thinking, "First this.\nThen that.\n");
        assert_eq!(thinking, "  Looker thinking: First this.\n    Then that.");
        let result = entry(EntryKind::ToolResult, "\nNAME   READY\na      1/1\n");
        assert_eq!(result, "  Looker result: NAME READY (2 lines)");
        let conclusion = entry(EntryKind::Conclusion, "## Findings\n\nNone.");
        assert_eq!(conclusion, "  Looker conclusion: None. (3 lines)");
        assert_eq!(entry(EntryKind::ToolResult, ""), "  Looker result: (empty)");
    }

    #[test]
    fn removes_control_characters_from_untrusted_texts() {
        let hostile = "\u{1b}[2J\u{1b}]0;owned\u{7}red";
        let line = WatchLine::AgentEntry {
            agent: AgentLabel { name: hostile.to_owned(), number: 0 },
            kind: EntryKind::Reply,
            text: hostile.to_owned(),
        };
        assert!(!line.render(ColorMode::Plain).contains(['\u{1b}', '\u{7}']));
        let colored = line.render(ColorMode::Colored);
        assert!(colored.contains("\u{1b}[") && !colored.contains("\u{1b}[2J"), "{colored:?}");
    }

    #[test]
    fn the_marker_shows_how_a_stage_ended() {
        for (status, prefix) in
            [(WorkStatus::Completed, "✔ look completed"), (WorkStatus::TimedOut, "✘ look timed_out")]
        {
            let details = " after 2 s".to_owned();
            let line = WatchLine::StageEnded { stage: "look".to_owned(), status, details };
            assert_eq!(line.render(ColorMode::Plain), format!("{prefix} after 2 s"));
        }
    }
}
