//! The alert that is submitted.

use std::collections::BTreeMap;
use std::fs;
use std::io::{IsTerminal, Read};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use serde_json::value::{RawValue, to_raw_value};

use crate::client::RequestBody;

/// The file name for stdin.
const STDIN: &str = "-";

/// The body of a request that submits an alert.
#[derive(Debug)]
pub(super) struct AlertPayload(String);

impl AlertPayload {
    /// Reads an alert from a file or stdin.
    pub(super) fn read(file: Option<&Path>, alert_type: Option<&str>) -> anyhow::Result<Self> {
        match file.filter(|file| *file != Path::new(STDIN)) {
            Some(path) => {
                let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
                Self::new(&text, alert_type).with_context(|| path.display().to_string())
            }
            None => Self::new(&read_stdin(file)?, alert_type).context("stdin"),
        }
    }

    /// Creates the body. A JSON object with `data` is a complete alert; any other text becomes its `data`.
    pub(super) fn new(text: &str, alert_type: Option<&str>) -> anyhow::Result<Self> {
        ensure!(!text.trim().is_empty(), "the alert is empty");
        let complete = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(text).ok();
        let mut fields = match complete.filter(|fields| fields.contains_key("data")) {
            Some(fields) => fields,
            None => BTreeMap::from([("data".to_owned(), to_raw_value(text)?)]),
        };
        if let Some(alert_type) = alert_type {
            fields.insert("alert_type".to_owned(), to_raw_value(alert_type)?);
        }
        Ok(Self(serde_json::to_string(&fields)?))
    }

    /// Returns the request body.
    pub(super) fn into_body(self) -> RequestBody {
        RequestBody { content_type: "application/json", text: self.0 }
    }
}

/// Reads stdin. Without a file argument a terminal is an error, because the command would seem to hang.
fn read_stdin(file: Option<&Path>) -> anyhow::Result<String> {
    let mut input = std::io::stdin();
    if file.is_none() && input.is_terminal() {
        bail!("no alert given; pass a file, pipe the alert to stdin, or try --incident checkout-oom");
    }
    let mut text = String::new();
    input.read_to_string(&mut text).context("reading stdin")?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str, alert_type: Option<&str>) -> String {
        AlertPayload::new(text, alert_type).unwrap().into_body().text
    }

    #[test]
    fn a_text_becomes_the_data() {
        assert_eq!(body("Shop is \"down\".\n", None), r#"{"data":"Shop is \"down\".\n"}"#);
        assert_eq!(body("[1, 2]", Some("Numbers")), r#"{"alert_type":"Numbers","data":"[1, 2]"}"#);
        assert_eq!(body(r#"{"pod": "a"}"#, None), r#"{"data":"{\"pod\": \"a\"}"}"#);
    }

    #[test]
    fn an_object_with_data_is_a_complete_alert() {
        let complete = r#"{"runbook": "Look.", "data": {"load":  1.50}, "alert_type": "Load"}"#;
        assert_eq!(body(complete, None), r#"{"alert_type":"Load","data":{"load":  1.50},"runbook":"Look."}"#);
        assert_eq!(
            body(complete, Some("Mine")),
            r#"{"alert_type":"Mine","data":{"load":  1.50},"runbook":"Look."}"#
        );
    }

    #[test]
    fn rejects_an_empty_alert() {
        assert!(AlertPayload::new(" \n", None).is_err());
    }
}
