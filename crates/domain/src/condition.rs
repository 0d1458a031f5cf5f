//! The `when` condition of a stage: a small, safe expression over what happened before it.
//!
//! ```text
//! stages.data-collection.status == "completed" and not alert.labels.team == "batch"
//! stages["root cause"].analysis contains "OOMKilled" or severity == "critical"
//! ```
//!
//! This file is the grammar: text in, tree out, errors with their position. It has no arithmetic, no calls and
//! no loops on purpose, so every condition ends at once.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::WorkStatus;
use reader::Reader;

mod reader;

/// A parsed condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// One fact held against one text.
    Test {
        /// What is looked at.
        fact: Fact,
        /// How it is compared.
        test: Test,
        /// What it is compared with.
        value: String,
    },
    /// True when the inner one is false.
    Not(Box<Condition>),
    /// True when both are true.
    And(Box<Condition>, Box<Condition>),
    /// True when at least one is true.
    Or(Box<Condition>, Box<Condition>),
}

/// Something a condition can look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// `stages.<name>.status`: how an earlier stage ended.
    StageStatus(String),
    /// `stages.<name>.analysis`: the text an earlier stage produced.
    StageAnalysis(String),
    /// `alert.<path>`: a field of the alert's data, when that is JSON.
    AlertField(Vec<String>),
    /// `severity`: the alert's severity, wherever the alert keeps it.
    Severity,
}

/// How a fact is compared with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// `==`
    Equals,
    /// `!=`
    Differs,
    /// `contains`
    Contains,
}

/// Why a condition could not be read, and where in its text.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct ConditionError {
    /// Byte offset into the condition's text.
    pub offset: usize,
    /// What was found and what would be right.
    pub message: String,
}

impl Condition {
    /// Reads a condition.
    pub fn parse(text: &str) -> Result<Self, ConditionError> {
        Reader::new(text).condition()
    }

    /// The names of the stages that this condition looks at, in order of mention.
    pub fn stages(&self) -> Vec<&str> {
        match self {
            Self::Test { fact: Fact::StageStatus(name) | Fact::StageAnalysis(name), .. } => vec![name],
            Self::Test { fact: Fact::AlertField(_) | Fact::Severity, .. } => Vec::new(),
            Self::Not(inner) => inner.stages(),
            Self::And(left, right) | Self::Or(left, right) => [left.stages(), right.stages()].concat(),
        }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Equals => "==",
            Self::Differs => "!=",
            Self::Contains => "contains",
        })
    }
}

/// Refuses comparisons that could never be true, such as a status that does not exist.
fn check_value(fact: &Fact, test: Test, value: &str, offset: usize) -> Result<(), ConditionError> {
    match (fact, test) {
        (Fact::StageStatus(_), Test::Equals | Test::Differs) => match value.parse::<WorkStatus>() {
            Ok(_) => Ok(()),
            Err(unknown) => Err(ConditionError {
                offset,
                message: format!(
                    "`{value}` is not a stage status, expected one of: {}",
                    unknown.known.join(", ")
                ),
            }),
        },
        (Fact::StageStatus(_), Test::Contains) => Err(ConditionError {
            offset,
            message: "a status is compared with `==` or `!=`, not with `contains`".to_owned(),
        }),
        (Fact::StageAnalysis(_) | Fact::AlertField(_) | Fact::Severity, _) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status_is(stage: &str, status: &str) -> Condition {
        Condition::Test {
            fact: Fact::StageStatus(stage.to_owned()),
            test: Test::Equals,
            value: status.to_owned(),
        }
    }

    fn error(text: &str) -> (usize, String) {
        let error = Condition::parse(text).unwrap_err();
        (error.offset, error.message)
    }

    #[test]
    fn every_fact_and_test_can_be_written() {
        let cases = [
            ("stages.a-b.status == 'failed'", Fact::StageStatus("a-b".into()), Test::Equals, "failed"),
            (
                "stages[\"a b\"].analysis contains \"x\"",
                Fact::StageAnalysis("a b".into()),
                Test::Contains,
                "x",
            ),
            (
                "alert.labels.team != \"x\"",
                Fact::AlertField(vec!["labels".into(), "team".into()]),
                Test::Differs,
                "x",
            ),
            ("severity == \"crit\\\"ical\"", Fact::Severity, Test::Equals, "crit\"ical"),
        ];
        for (text, fact, test, value) in cases {
            assert_eq!(
                Condition::parse(text),
                Ok(Condition::Test { fact, test, value: value.into() }),
                "{text}"
            );
        }
    }

    #[test]
    fn and_binds_closer_than_or_and_not_closest() {
        let a = || Box::new(status_is("a", "failed"));
        let text =
            "stages.a.status == 'failed' or not stages.a.status == 'failed' && stages.a.status == 'failed'";
        assert_eq!(
            Condition::parse(text),
            Ok(Condition::Or(a(), Box::new(Condition::And(Box::new(Condition::Not(a())), a()))))
        );
    }

    #[test]
    fn parentheses_group() {
        let text = "!(stages.a.status == 'failed' || stages.b.status == 'failed')";
        let both = Condition::Or(Box::new(status_is("a", "failed")), Box::new(status_is("b", "failed")));
        assert_eq!(Condition::parse(text), Ok(Condition::Not(Box::new(both))));
        assert_eq!(Condition::parse(text).unwrap().stages(), ["a", "b"]);
    }

    #[test]
    fn errors_say_where_and_what_would_be_right() {
        let facts =
            "expected `stages.<name>.status`, `stages.<name>.analysis`, `alert.<field>` or `severity`";
        assert_eq!(error(""), (0, format!("the condition is empty, {facts}")));
        assert_eq!(error("foo == 'x'"), (0, format!("`foo` is not known here, {facts}")));
        assert_eq!(
            error("stages.a.state == 'x'"),
            (9, "a stage has no `state`, expected `status` or `analysis`".into())
        );
        assert_eq!(error("severity = 'x'"), (9, "found `=`, expected `==`, `!=` or `contains`".into()));
        assert_eq!(error("severity == critical"), (12, "found `critical`, expected a text in quotes".into()));
        assert_eq!(
            error("severity == 'critical"),
            (12, "the text that begins here has no closing quote".into())
        );
        assert_eq!(
            error("severity == 'x' severity"),
            (16, "found `severity`, expected `and`, `or` or the end".into())
        );
        assert_eq!(error("(severity == 'x'"), (16, "found the end, expected `)`".into()));
        assert_eq!(
            error("stages.a.status == 'done'"),
            (
                19,
                "`done` is not a stage status, expected one of: pending, active, completed, failed, timed_out, \
                 cancelled, skipped"
                    .into()
            )
        );
        assert_eq!(
            error("stages.a.status contains 'fail'"),
            (25, "a status is compared with `==` or `!=`, not with `contains`".into())
        );
    }

    #[test]
    fn deep_nesting_is_refused_not_followed() {
        let text = "(".repeat(100_000);
        assert_eq!(error(&text).1, "the condition is nested more than 32 levels deep");
        let text = "not ".repeat(100_000);
        assert_eq!(error(&text).1, "the condition is nested more than 32 levels deep");
    }

    proptest::proptest! {
        #[test]
        fn reading_never_panics_and_points_inside_the_text(
            text in "(stages|alert|severity|\\.|\\[|\\]|\"|'|==|!=|!|and|or|not|contains|\\(|\\)| |ü|a){0,20}"
        ) {
            if let Err(error) = Condition::parse(&text) {
                proptest::prop_assert!(text.is_char_boundary(error.offset), "{error:?}");
            }
        }
    }
}
