//! The facts that conditions of stages are evaluated against: earlier stages and the alert. Pure.

use tarsy_domain::{AlertFields, Condition, Fact, Operator, WorkStatus};

/// The facts at the time of an evaluation.
pub(crate) struct Facts<'a> {
    /// Earlier stages: name, status, analysis.
    pub(crate) stages: Vec<(&'a str, WorkStatus, Option<&'a str>)>,
    alert: AlertFields,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(alert_data: &str, stages: Vec<(&'a str, WorkStatus, Option<&'a str>)>) -> Self {
        Self { stages, alert: AlertFields::parse(alert_data) }
    }

    /// Evaluates a condition.
    pub(crate) fn satisfy(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Comparison { fact, operator, value } => self.passes(fact, *operator, value),
            Condition::Not(inner) => !self.satisfy(inner),
            Condition::And(left, right) => self.satisfy(left) && self.satisfy(right),
            Condition::Or(left, right) => self.satisfy(left) || self.satisfy(right),
        }
    }

    /// Compares a fact with a value. An unknown fact equals no value, contains no value, and differs from
    /// every value.
    fn passes(&self, fact: &Fact, operator: Operator, value: &str) -> bool {
        let known = self.value(fact);
        let known = known.as_deref();
        match operator {
            Operator::Equals => known == Some(value),
            Operator::Differs => known != Some(value),
            Operator::Contains => known.is_some_and(|known| known.contains(value)),
        }
    }

    fn value(&self, fact: &Fact) -> Option<String> {
        match fact {
            Fact::StageStatus(name) => self.stage(name).map(|(_, status, _)| status.to_string()),
            Fact::StageAnalysis(name) => self.stage(name)?.2.map(str::to_owned),
            Fact::AlertField(path) => self.alert.text_at(path.iter().map(String::as_str)),
            Fact::Severity => Some(self.alert.severity()),
            Fact::Environment => Some(self.alert.environment()),
        }
    }

    fn stage(&self, name: &str) -> Option<&(&'a str, WorkStatus, Option<&'a str>)> {
        self.stages.iter().find(|(known, ..)| *known == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALERT: &str = r#"{"labels": {"severity": "critical", "pods": ["a", "b"]}, "count": 3}"#;

    fn holds(condition: &str, alert: &str) -> bool {
        let stages = vec![
            ("collect", WorkStatus::Completed, Some("Pod was OOMKilled.")),
            ("deep dive", WorkStatus::Failed, None),
        ];
        Facts::new(alert, stages).satisfy(&Condition::parse(condition).expect("it parses"))
    }

    #[test]
    fn evaluates_conditions_on_stages_and_the_alert() {
        for (condition, expected) in [
            ("stages.collect.status == 'completed'", true),
            ("stages.collect.status != 'completed'", false),
            ("stages['deep dive'].status == 'failed'", true),
            ("stages.collect.analysis contains 'OOMKilled'", true),
            ("stages['deep dive'].analysis contains 'OOM'", false),
            ("severity == 'critical'", true),
            ("alert.labels.pods.1 == 'b'", true),
            ("alert.count == '3'", true),
            ("alert.labels.team == 'x'", false),
            ("alert.labels.team != 'x'", true),
            ("not severity == 'critical' or alert.count == '3'", true),
            ("not (severity == 'critical' or alert.count == '3')", false),
        ] {
            assert_eq!(holds(condition, ALERT), expected, "{condition}");
        }
    }

    #[test]
    fn an_alert_that_is_not_json_has_no_fields_and_the_default_severity_and_environment() {
        assert!(!holds("severity == 'critical'", "severity: critical"));
        assert!(holds("severity == 'warning' and environment == 'production'", "severity: critical"));
        assert!(holds("severity != 'critical'", "severity: critical"));
    }
}
