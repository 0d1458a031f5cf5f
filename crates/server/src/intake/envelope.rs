//! Decides whether a body is an envelope around an alert or the data of the alert itself.
//!
//! The content type is not enough: `curl -d` sends JSON as a form, and many senders set no type at all.

use std::collections::BTreeMap;

use axum::http::HeaderMap;
use serde::de::IgnoredAny;

use super::alert::SubmitAlertRequest;
use crate::extract::is_json;

/// Returns whether a body is an envelope: its content type is JSON, or it is a JSON object with the field
/// `data` that has either an `alert_type` or no fields other than those of an envelope.
///
/// The rule is described for senders in `docs/alerts.md`.
pub(crate) fn is_envelope(headers: &HeaderMap, body: &[u8]) -> bool {
    is_json(headers) || has_shape(body)
}

fn has_shape(body: &[u8]) -> bool {
    let Ok(fields) = serde_json::from_slice::<BTreeMap<String, IgnoredAny>>(body) else { return false };
    let is_known = |name: &String| SubmitAlertRequest::FIELDS.contains(&name.as_str());
    fields.contains_key("data") && (fields.contains_key("alert_type") || fields.keys().all(is_known))
}
