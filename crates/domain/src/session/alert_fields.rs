//! The fields of an alert's data that have a meaning of their own, with their defaults.
//!
//! The data of an alert can be any text. It has fields if it is a JSON object or array.

use serde_json::Value;

/// The severity of an alert that names none.
pub const DEFAULT_SEVERITY: &str = "warning";
/// The environment of an alert that names none.
pub const DEFAULT_ENVIRONMENT: &str = "production";

/// Paths of the severity, in order of precedence.
const SEVERITY: &[&[&str]] = &[
    &["severity"],
    &["labels", "severity"],
    &["commonLabels", "severity"],
    &["alerts", "0", "labels", "severity"],
    &["priority"],
];
/// Paths of the environment, in order of precedence.
const ENVIRONMENT: &[&[&str]] = &[
    &["environment"],
    &["labels", "environment"],
    &["commonLabels", "environment"],
    &["alerts", "0", "labels", "environment"],
];

/// The data of an alert as JSON; null if it is another text.
#[derive(Debug, Clone, PartialEq)]
pub struct AlertFields {
    data: Value,
}

impl AlertFields {
    /// Parses the data of an alert. Text that is not JSON has no fields.
    pub fn parse(data: &str) -> Self {
        Self { data: serde_json::from_str(data).unwrap_or(Value::Null) }
    }

    /// Returns the severity, or the default one.
    pub fn severity(&self) -> String {
        self.first_of(SEVERITY).unwrap_or_else(|| DEFAULT_SEVERITY.to_owned())
    }

    /// Returns the environment, or the default one.
    pub fn environment(&self) -> String {
        self.first_of(ENVIRONMENT).unwrap_or_else(|| DEFAULT_ENVIRONMENT.to_owned())
    }

    /// Returns the runbook: the text of the field `runbook`, unless it is blank.
    pub fn runbook(&self) -> Option<&str> {
        self.data.get("runbook")?.as_str().filter(|runbook| !runbook.trim().is_empty())
    }

    /// Returns a field as text; an object or array as JSON.
    pub fn text_at<'path>(&self, path: impl IntoIterator<Item = &'path str>) -> Option<String> {
        let mut value = &self.data;
        for key in path {
            value = match value.as_array() {
                Some(items) => items.get(key.parse::<usize>().ok()?)?,
                None => value.get(key)?,
            };
        }
        if value.is_null() {
            return None;
        }
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }

    fn first_of(&self, paths: &[&[&str]]) -> Option<String> {
        let texts = paths.iter().filter_map(|path| self.text_at(path.iter().copied()));
        texts.into_iter().find(|text| !text.trim().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alert_without_severity_and_environment_has_the_defaults() {
        let cases = [
            (r#"{"severity": "critical", "environment": "staging"}"#, "critical", "staging"),
            (r#"{"labels": {"severity": "info", "environment": "dev"}, "severity": ""}"#, "info", "dev"),
            (r#"{"alerts": [{"labels": {"severity": "page"}}]}"#, "page", "production"),
            (r#"{"priority": 1, "environment": null}"#, "1", "production"),
            ("{}", "warning", "production"),
            ("[]", "warning", "production"),
            ("severity: critical", "warning", "production"),
        ];
        for (data, severity, environment) in cases {
            let fields = AlertFields::parse(data);
            assert_eq!(
                (fields.severity().as_str(), fields.environment().as_str()),
                (severity, environment),
                "{data}"
            );
        }
    }

    #[test]
    fn a_runbook_is_a_text_that_is_not_blank() {
        let runbook = |data: &str| AlertFields::parse(data).runbook().map(str::to_owned);
        assert_eq!(runbook(r#"{"runbook": "https://h/a"}"#).as_deref(), Some("https://h/a"));
        for data in
            [r#"{"runbook": "\n"}"#, r#"{"runbook": ["https://h/a"]}"#, r#"["runbook"]"#, "runbook", ""]
        {
            assert_eq!(runbook(data), None, "{data}");
        }
    }
}
