//! The alert that somebody wants to have investigated.

use std::collections::BTreeMap;
use std::fs;
use std::io::{IsTerminal, Read};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use serde_json::value::{RawValue, to_raw_value};

use crate::client::Sent;

/// Stands for standard input.
const STDIN: &str = "-";

/// An alert, as the interface takes it.
#[derive(Debug)]
pub(super) struct Alert(String);

impl Alert {
    /// The alert in a file, or on standard input.
    pub(super) fn read(file: Option<&Path>, alert_type: Option<&str>) -> anyhow::Result<Self> {
        match file.filter(|file| *file != Path::new(STDIN)) {
            Some(path) => {
                let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
                Self::new(&text, alert_type).with_context(|| path.display().to_string())
            }
            None => Self::new(&standard_input(file)?, alert_type).context("standard input"),
        }
    }

    /// A whole alert, if that is what the text is, or one that says this.
    pub(super) fn new(text: &str, alert_type: Option<&str>) -> anyhow::Result<Self> {
        ensure!(!text.trim().is_empty(), "it is empty; it should say what is wrong");
        let whole = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(text).ok();
        let mut fields = match whole.filter(|fields| fields.contains_key("data")) {
            Some(fields) => fields,
            None => BTreeMap::from([("data".to_owned(), to_raw_value(text)?)]),
        };
        if let Some(alert_type) = alert_type {
            fields.insert("alert_type".to_owned(), to_raw_value(alert_type)?);
        }
        Ok(Self(serde_json::to_string(&fields)?))
    }

    /// What is sent.
    pub(super) fn sent(self) -> Sent {
        Sent { content_type: "application/json", text: self.0 }
    }
}

/// What somebody pipes in. Nobody who names no file wants to write an alert into nothing.
fn standard_input(named: Option<&Path>) -> anyhow::Result<String> {
    let mut input = std::io::stdin();
    if named.is_none() && input.is_terminal() {
        bail!("there is no alert; name a file, pipe one in, or try --incident checkout-oom");
    }
    let mut text = String::new();
    input.read_to_string(&mut text).context("reading standard input")?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(text: &str, alert_type: Option<&str>) -> String {
        Alert::new(text, alert_type).unwrap().sent().text
    }

    #[test]
    fn a_text_is_what_the_alert_says() {
        assert_eq!(sent("Shop is \"down\".\n", None), r#"{"data":"Shop is \"down\".\n"}"#);
        assert_eq!(sent("[1, 2]", Some("Numbers")), r#"{"alert_type":"Numbers","data":"[1, 2]"}"#);
        assert_eq!(sent(r#"{"pod": "a"}"#, None), r#"{"data":"{\"pod\": \"a\"}"}"#);
    }

    #[test]
    fn an_object_with_data_is_a_whole_alert() {
        let whole = r#"{"runbook": "Look.", "data": {"load":  1.50}, "alert_type": "Load"}"#;
        assert_eq!(sent(whole, None), r#"{"alert_type":"Load","data":{"load":  1.50},"runbook":"Look."}"#);
        assert_eq!(
            sent(whole, Some("Mine")),
            r#"{"alert_type":"Mine","data":{"load":  1.50},"runbook":"Look."}"#
        );
    }

    #[test]
    fn nothing_is_no_alert() {
        assert!(Alert::new(" \n", None).is_err());
    }
}
