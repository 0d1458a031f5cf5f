//! Parses notifications of the Alertmanager webhook, version 4.
//!
//! Which firing a notification belongs to is decided in the store; see ADR 9.

use std::collections::BTreeMap;

use serde::Deserialize;
use sha2::{Digest, Sha256};
use tarsy_config::Config;
use tarsy_domain::{Firing, TimelineEventId, TimelineEventType, Timestamp};
use tarsy_store::{GroupNotice, NewTimelineEvent};
use utoipa::ToSchema;

use super::{Author, IncomingAlert};
use crate::ApiError;
use crate::extract::{read_json, rfc3339};

/// The supported version of the webhook.
const VERSION: &str = "4";
/// The annotation with the URL of a runbook.
const RUNBOOK: &str = "runbook_url";
/// The author of these sessions.
const AUTHOR: &str = "Alertmanager";

/// A notification of Alertmanager. Other fields are stored with the alert and not interpreted.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AlertmanagerNotification {
    /// Version of the webhook format: `4`.
    #[schema(pattern = "^4$")]
    version: String,
    /// Key of the alert group.
    #[schema(min_length = 1)]
    group_key: String,
    /// Labels that all alerts of the group share.
    #[serde(default)]
    common_labels: BTreeMap<String, String>,
    /// Annotations that all alerts of the group share.
    #[serde(default)]
    common_annotations: BTreeMap<String, String>,
    /// The firing alerts, and those resolved since the last notification.
    #[schema(min_items = 1)]
    alerts: Vec<NotifiedAlert>,
}

/// One alert of a notification.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NotifiedAlert {
    /// Whether the alert fires.
    status: NotifiedStatus,
    /// Labels of the alert.
    #[serde(default)]
    labels: BTreeMap<String, String>,
    /// Annotations of the alert.
    #[serde(default)]
    annotations: BTreeMap<String, String>,
    /// When the alert started to fire.
    #[schema(format = "date-time")]
    starts_at: String,
    /// When the alert was resolved; ignored while it fires.
    ends_at: Option<String>,
    /// Identifies the alert by its labels.
    #[schema(min_length = 1)]
    fingerprint: String,
}

/// The status of an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum NotifiedStatus {
    /// The alert fires.
    Firing,
    /// The alert no longer fires.
    Resolved,
}

/// A parsed notification.
#[derive(Debug)]
pub(crate) struct Notification {
    /// The body as received.
    data: String,
    sent: AlertmanagerNotification,
    firings: Vec<Firing>,
}

impl Notification {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, ApiError> {
        let sent: AlertmanagerNotification = read_json(bytes)?;
        sent.check()?;
        let firings = sent.alerts.iter().enumerate();
        let firings = firings.map(|(index, alert)| alert.firing(index)).collect::<Result<_, _>>()?;
        Ok(Self { data: String::from_utf8_lossy(bytes).into_owned(), sent, firings })
    }

    /// Returns whether all alerts of the group are resolved.
    pub(crate) fn is_resolved(&self) -> bool {
        self.firings.iter().all(|firing| firing.ended_at.is_some())
    }

    pub(crate) fn notice(&self) -> GroupNotice {
        GroupNotice { group_key: digest(&[&self.sent.group_key]), firings: self.firings.clone() }
    }

    /// Converts the whole group into one alert.
    pub(crate) fn into_alert(self, config: &Config) -> IncomingAlert {
        IncomingAlert {
            alert_id: self.alert_id(),
            alert_type: self.alert_type(config),
            runbook: self.runbook(),
            author: Some(Author::Authenticated(AUTHOR.to_owned())),
            data: self.data,
            mcp: None,
            slack_message_fingerprint: None,
        }
    }

    /// Returns the timeline entry for a resolved group. It contains only numbers and timestamps of the
    /// notification, none of its text.
    pub(crate) fn resolution_note(&self, at: Timestamp) -> NewTimelineEvent {
        let count = self.firings.len();
        let alerts = if count == 1 { "alert has" } else { "alerts have" };
        let last_end = self.firings.iter().filter_map(|firing| firing.ended_at).max();
        let when = last_end.and_then(format_time).map_or(String::new(), |time| format!(", at {time}"));
        NewTimelineEvent {
            timeline_event_id: TimelineEventId::new(),
            stage_id: None,
            event_type: TimelineEventType::AlertUpdate,
            content: format!("Resolved: Alertmanager says that {count} {alerts} ended{when}."),
            metadata: "{}".to_owned(),
            created_at: at,
        }
    }

    /// Returns an id that is the same for all Alertmanager peers that report the same firing.
    fn alert_id(&self) -> Option<String> {
        let first = self.firings.iter().filter(|firing| firing.ended_at.is_none());
        let first = first.min_by_key(|firing| (firing.began_at, &firing.fingerprint))?;
        let began_at = first.began_at.as_micros().to_string();
        Some(format!(
            "alertmanager-{}",
            &digest(&[&self.sent.group_key, &first.fingerprint, &began_at])[..32]
        ))
    }

    /// Returns the value of the configured label, if a chain handles it.
    fn alert_type(&self, config: &Config) -> Option<String> {
        let label = config.system().alertmanager.alert_type_label.as_str();
        let own = self.firing_alerts().find_map(|alert| alert.labels.get(label));
        let value = self.sent.common_labels.get(label).or(own)?;
        config.chain_for_alert_type(value).is_ok().then(|| value.clone())
    }

    fn runbook(&self) -> Option<String> {
        let own = self.firing_alerts().find_map(|alert| alert.annotations.get(RUNBOOK));
        self.sent.common_annotations.get(RUNBOOK).or(own).cloned()
    }

    fn firing_alerts(&self) -> impl Iterator<Item = &NotifiedAlert> {
        self.sent.alerts.iter().filter(|alert| alert.status == NotifiedStatus::Firing)
    }
}

impl AlertmanagerNotification {
    fn check(&self) -> Result<(), ApiError> {
        if self.version != VERSION {
            let problem = format!("`{}` is not supported, expected `{VERSION}`", self.version);
            return Err(ApiError::bad("version", problem));
        }
        if self.group_key.is_empty() {
            return Err(ApiError::bad("groupKey", "must not be empty"));
        }
        if self.alerts.is_empty() {
            return Err(ApiError::bad("alerts", "must not be empty; expected at least one alert"));
        }
        Ok(())
    }
}

impl NotifiedAlert {
    fn firing(&self, index: usize) -> Result<Firing, ApiError> {
        let field = |name: &str| format!("alerts[{index}].{name}");
        if self.fingerprint.is_empty() {
            return Err(ApiError::bad(&field("fingerprint"), "must not be empty"));
        }
        let ended_at = match self.status {
            NotifiedStatus::Firing => None,
            NotifiedStatus::Resolved => {
                Some(time(&field("endsAt"), self.ends_at.as_deref().unwrap_or_default())?)
            }
        };
        let began_at = time(&field("startsAt"), &self.starts_at)?;
        Ok(Firing { fingerprint: self.fingerprint.clone(), began_at, ended_at })
    }
}

fn time(field: &str, text: &str) -> Result<Timestamp, ApiError> {
    rfc3339(text).map_err(|problem| ApiError::bad(field, problem))
}

fn format_time(time: Timestamp) -> Option<String> {
    jiff::Timestamp::from_second(time.as_micros().div_euclid(1_000_000)).ok().map(|time| time.to_string())
}

/// Returns the SHA-256 of texts in hexadecimal digits. Each text is prefixed with its length, so the digest
/// is unambiguous.
fn digest(texts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update(text.len().to_be_bytes());
        hasher.update(text);
    }
    hex::encode(hasher.finalize())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tarsy_config::Environment;

    use super::*;

    fn notification() -> Value {
        let alert = |fingerprint: &str, starts_at: &str| {
            json!({
                "status": "firing", "labels": { "alertname": "Down", "kind": "PodFailure" }, "annotations": {},
                "startsAt": starts_at, "endsAt": "0001-01-01T00:00:00Z", "fingerprint": fingerprint,
            })
        };
        json!({
            "version": "4", "groupKey": "{}:{alertname=\"Down\"}", "status": "firing", "receiver": "r",
            "commonLabels": { "alertname": "Down" }, "commonAnnotations": {}, "somethingNew": 7,
            "alerts": [alert("b", "2026-11-15T00:53:42Z"), alert("a", "2026-11-15T00:53:41.568Z")],
        })
    }

    fn read(notification: &Value) -> Result<Notification, String> {
        Notification::read(notification.to_string().as_bytes()).map_err(|error| error.to_string())
    }

    fn config(label: &str) -> Config {
        let directory = tempfile::tempdir().unwrap();
        let text = format!("system: {{ alertmanager: {{ alert_type_label: {label} }} }}");
        std::fs::write(directory.path().join("tarsy.yaml"), text).unwrap();
        Config::load(Some(directory.path()), &Environment::default()).unwrap().config
    }

    #[test]
    fn a_notification_becomes_one_alert_for_its_group() {
        let mut sent = notification();
        sent["alerts"][1]["annotations"]["runbook_url"] = json!("https://example.com/own");
        let alert = read(&sent).unwrap().into_alert(&config("kind"));
        assert_eq!(alert.data, sent.to_string());
        assert_eq!(alert.alert_type.as_deref(), Some("PodFailure"));
        assert_eq!(alert.runbook.as_deref(), Some("https://example.com/own"));
        sent["commonAnnotations"]["runbook_url"] = json!("https://example.com/common");
        let alert = read(&sent).unwrap().into_alert(&config("alertname"));
        assert_eq!(alert.runbook.as_deref(), Some("https://example.com/common"));
        assert_eq!(alert.alert_type, None, "no chain handles `Down`");
    }

    #[test]
    fn peers_give_the_same_alert_the_same_id() {
        let id = |sent: &Value| read(sent).unwrap().into_alert(&config("kind")).alert_id.unwrap();
        let one = notification();
        let mut other = notification();
        other["alerts"].as_array_mut().unwrap().reverse();
        other["externalURL"] = json!("http://peer-2:9093");
        assert_eq!(id(&one), id(&other));
        other["alerts"][0]["startsAt"] = json!("2026-11-15T00:53:40Z");
        assert_ne!(id(&one), id(&other));
    }

    #[test]
    fn a_group_is_resolved_when_none_of_its_alerts_fires() {
        let mut sent = notification();
        sent["alerts"][0]["status"] = json!("resolved");
        sent["alerts"][0]["endsAt"] = json!("2026-11-15T01:00:00Z");
        assert!(!read(&sent).unwrap().is_resolved());
        sent["alerts"][1]["status"] = json!("resolved");
        sent["alerts"][1]["endsAt"] = json!("2026-11-15T01:00:58.5+00:00");
        let resolved = read(&sent).unwrap();
        assert!(resolved.is_resolved());
        let note = resolved.resolution_note(Timestamp::from_micros(0));
        assert_eq!(
            note.content,
            "Resolved: Alertmanager says that 2 alerts have ended, at 2026-11-15T01:00:58Z."
        );
    }

    #[test]
    fn an_error_names_the_field() {
        let cases: [(&str, Value, &str); 8] = [
            ("/version", json!("3"), "version: `3` is not supported, expected `4`"),
            ("/version", json!(4), "version: invalid type: integer `4`, expected a string"),
            ("/groupKey", json!(""), "groupKey: must not be empty"),
            ("/alerts", json!([]), "alerts: must not be empty"),
            (
                "/alerts/1/startsAt",
                json!("yesterday"),
                "alerts[1].startsAt: `yesterday` is not an RFC 3339 time such as",
            ),
            ("/alerts/0/fingerprint", json!(""), "alerts[0].fingerprint: must not be empty"),
            ("/alerts/0/status", json!("silenced"), "alerts[0].status: unknown variant `silenced`, expected"),
            ("/commonLabels", json!({ "a": 1 }), "commonLabels.a: invalid type"),
        ];
        for (pointer, value, message) in cases {
            let mut sent = notification();
            *sent.pointer_mut(pointer).unwrap() = value;
            let error = read(&sent).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
        let mut sent = notification();
        sent["alerts"][0]["status"] = json!("resolved");
        let resolved = read(&sent).map(|read| read.is_resolved());
        assert_eq!(resolved, Ok(false), "a zero time is valid");
    }
}
