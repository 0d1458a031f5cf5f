//! The `when` condition of a stage: a small expression over earlier stages and the alert.
//!
//! ```text
//! stages.data-collection.status == "completed" and not alert.labels.team == "batch"
//! stages["root cause"].analysis contains "OOMKilled" or severity == "critical"
//! ```
//!
//! This module parses text into a tree and reports errors with their position. The language has no
//! arithmetic, calls or loops, so evaluation takes time linear in the size of the condition. The engine
//! evaluates conditions.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::WorkStatus;
use parser::Parser;

mod parser;

/// A parsed condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Compares a fact with a literal.
    Comparison {
        /// The left-hand side.
        fact: Fact,
        /// The comparison operator.
        operator: Operator,
        /// The literal on the right-hand side.
        value: String,
    },
    /// True if the operand is false.
    Not(Box<Condition>),
    /// True if both operands are true.
    And(Box<Condition>, Box<Condition>),
    /// True if at least one operand is true.
    Or(Box<Condition>, Box<Condition>),
}

/// A value that a condition can refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// `stages.<name>.status`: the status of an earlier stage.
    StageStatus(String),
    /// `stages.<name>.analysis`: the final text of an earlier stage.
    StageAnalysis(String),
    /// `alert.<path>`: a field of the alert's data, if the data is JSON.
    AlertField(Vec<String>),
    /// `severity`: the alert's severity, from whichever field carries it, or `warning`.
    Severity,
    /// `environment`: the alert's environment, from whichever field carries it, or `production`.
    Environment,
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `==`
    Equals,
    /// `!=`
    Differs,
    /// `contains`
    Contains,
}

/// A syntax error in a condition.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct ConditionError {
    /// Byte offset into the condition's text.
    pub offset: usize,
    /// What was found and what was expected.
    pub message: String,
}

impl Condition {
    /// Parses a condition.
    pub fn parse(text: &str) -> Result<Self, ConditionError> {
        Parser::new(text).condition()
    }

    /// Returns the names of the stages that the condition refers to, in order of appearance.
    pub fn stages(&self) -> Vec<&str> {
        match self {
            Self::Comparison { fact: Fact::StageStatus(name) | Fact::StageAnalysis(name), .. } => vec![name],
            Self::Comparison { fact: Fact::AlertField(_) | Fact::Severity | Fact::Environment, .. } => {
                Vec::new()
            }
            Self::Not(inner) => inner.stages(),
            Self::And(left, right) | Self::Or(left, right) => [left.stages(), right.stages()].concat(),
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Equals => "==",
            Self::Differs => "!=",
            Self::Contains => "contains",
        })
    }
}

/// Rejects comparisons that can never be true, such as one with an unknown status.
fn check_value(fact: &Fact, operator: Operator, value: &str, offset: usize) -> Result<(), ConditionError> {
    match (fact, operator) {
        (Fact::StageStatus(_), Operator::Equals | Operator::Differs) => match value.parse::<WorkStatus>() {
            Ok(_) => Ok(()),
            Err(unknown) => Err(ConditionError {
                offset,
                message: format!(
                    "`{value}` is not a stage status, expected one of: {}",
                    unknown.known.join(", ")
                ),
            }),
        },
        (Fact::StageStatus(_), Operator::Contains) => Err(ConditionError {
            offset,
            message: "a status is compared with `==` or `!=`, not with `contains`".to_owned(),
        }),
        (Fact::StageAnalysis(_) | Fact::AlertField(_) | Fact::Severity | Fact::Environment, _) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status_is(stage: &str, status: &str) -> Condition {
        Condition::Comparison {
            fact: Fact::StageStatus(stage.to_owned()),
            operator: Operator::Equals,
            value: status.to_owned(),
        }
    }

    fn error(text: &str) -> (usize, String) {
        let error = Condition::parse(text).unwrap_err();
        (error.offset, error.message)
    }

    #[test]
    fn parses_every_fact_and_operator() {
        let cases = [
            ("stages.a-b.status == 'failed'", Fact::StageStatus("a-b".into()), Operator::Equals, "failed"),
            (
                "stages[\"a b\"].analysis contains \"x\"",
                Fact::StageAnalysis("a b".into()),
                Operator::Contains,
                "x",
            ),
            (
                "alert.labels.team != \"x\"",
                Fact::AlertField(vec!["labels".into(), "team".into()]),
                Operator::Differs,
                "x",
            ),
            ("environment != 'dev'", Fact::Environment, Operator::Differs, "dev"),
            ("severity == \"crit\\\"ical\"", Fact::Severity, Operator::Equals, "crit\"ical"),
        ];
        for (text, fact, operator, value) in cases {
            assert_eq!(
                Condition::parse(text),
                Ok(Condition::Comparison { fact, operator, value: value.into() }),
                "{text}"
            );
        }
    }

    #[test]
    fn not_binds_tighter_than_and_and_and_tighter_than_or() {
        let a = || Box::new(status_is("a", "failed"));
        let text =
            "stages.a.status == 'failed' or not stages.a.status == 'failed' && stages.a.status == 'failed'";
        assert_eq!(
            Condition::parse(text),
            Ok(Condition::Or(a(), Box::new(Condition::And(Box::new(Condition::Not(a())), a()))))
        );
    }

    #[test]
    fn parentheses_group_operands() {
        let text = "!(stages.a.status == 'failed' || stages.b.status == 'failed')";
        let both = Condition::Or(Box::new(status_is("a", "failed")), Box::new(status_is("b", "failed")));
        assert_eq!(Condition::parse(text), Ok(Condition::Not(Box::new(both))));
        assert_eq!(Condition::parse(text).unwrap().stages(), ["a", "b"]);
    }

    #[test]
    fn errors_name_the_position_and_what_was_expected() {
        let facts = "expected `stages.<name>.status`, `stages.<name>.analysis`, `alert.<field>`, `severity` or `environment`";
        assert_eq!(error(""), (0, format!("the condition is empty, {facts}")));
        assert_eq!(error("foo == 'x'"), (0, format!("`foo` is unknown, {facts}")));
        assert_eq!(
            error("stages.a.state == 'x'"),
            (9, "a stage has no `state`, expected `status` or `analysis`".into())
        );
        assert_eq!(error("severity = 'x'"), (9, "found `=`, expected `==`, `!=` or `contains`".into()));
        assert_eq!(error("severity == critical"), (12, "found `critical`, expected a quoted string".into()));
        assert_eq!(
            error("severity == 'critical"),
            (12, "the string that starts here has no closing quote".into())
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
    fn rejects_deep_nesting() {
        let text = "(".repeat(100_000);
        assert_eq!(error(&text).1, "the condition is nested more than 32 levels deep");
        let text = "not ".repeat(100_000);
        assert_eq!(error(&text).1, "the condition is nested more than 32 levels deep");
    }

    proptest::proptest! {
        #[test]
        fn parsing_never_panics_and_error_offsets_are_char_boundaries(
            text in "(stages|alert|severity|\\.|\\[|\\]|\"|'|==|!=|!|and|or|not|contains|\\(|\\)| |ü|a){0,20}"
        ) {
            if let Err(error) = Condition::parse(&text) {
                proptest::prop_assert!(text.is_char_boundary(error.offset), "{error:?}");
            }
        }
    }
}
