//! Parses submitted alerts: a JSON envelope around the data, or the data alone.
//!
//! Validation against the configuration happens in `submission`.

use axum::body::Body;
use axum::http::HeaderMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use tarsy_domain::{AlertFields, McpSelection};
use utoipa::ToSchema;

use crate::ApiError;
use crate::body::BodyLimit;
use crate::extract::read_json;
use crate::intake::envelope::is_envelope;

/// Maximum size of the data in bytes.
const DATA_LIMIT: usize = 1 << 20;
/// Maximum size of a runbook in bytes.
const RUNBOOK_LIMIT: usize = 256 << 10;
/// Maximum length of ids and names in bytes.
const NAME_LIMIT: usize = 256;

/// Maximum size of the text that identifies a Slack message, in bytes.
const FINGERPRINT_LIMIT: usize = 4096;

/// A body with an envelope. JSON may escape one byte as six, so the size of the data is checked after
/// parsing.
const ENVELOPE: BodyLimit = BodyLimit {
    what: "the body, in which `data` may have 1048576 bytes,",
    bytes: 6 * (DATA_LIMIT + RUNBOOK_LIMIT),
};

/// An alert to investigate.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubmitAlertRequest {
    /// Selects the chain; see `GET /api/v1/alert-types`. Defaults to the configured default alert type.
    alert_type: Option<String>,
    /// The content of the alert: a string or any other JSON value except null. Stored verbatim, with secrets
    /// masked. At most 1 MiB.
    #[schema(value_type = serde_json::Value)]
    data: Box<RawValue>,
    /// The URL of a runbook, or its text. At most 256 KiB. Defaults to the field `runbook` of the data, if the data is a JSON
    /// object that has one.
    runbook: Option<String>,
    /// Idempotency key: a second alert with the same id returns the existing session. Generated if missing.
    #[schema(max_length = 256)]
    alert_id: Option<String>,
    /// Who sends the alert. Defaults to the authenticated caller.
    #[schema(max_length = 256)]
    author: Option<String>,
    /// MCP servers and tools to use instead of those of the chain.
    mcp: Option<McpSelection>,
    /// A text that identifies the Slack message that the alert comes from. It is stored and returned with the session.
    #[schema(max_length = 4096)]
    slack_message_fingerprint: Option<String>,
}

impl SubmitAlertRequest {
    /// The names of all fields.
    pub(crate) const FIELDS: [&str; 7] =
        ["alert_type", "data", "runbook", "alert_id", "author", "mcp", "slack_message_fingerprint"];
}

/// Values for fields that an alert does not set.
#[derive(Debug, Default)]
pub(crate) struct AlertDefaults {
    /// The alert type.
    pub(crate) alert_type: Option<String>,
    /// The authenticated caller.
    pub(crate) author: Option<String>,
}

/// The author of an alert.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Author {
    /// Named in the alert: untrusted text that is masked like the data.
    Claimed(String),
    /// The authenticated sender. It is not masked, because many names are email addresses.
    Authenticated(String),
}

/// A parsed alert.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct IncomingAlert {
    pub(crate) alert_id: Option<String>,
    pub(crate) alert_type: Option<String>,
    pub(crate) data: String,
    pub(crate) runbook: Option<String>,
    pub(crate) author: Option<Author>,
    pub(crate) mcp: Option<McpSelection>,
    pub(crate) slack_message_fingerprint: Option<String>,
}

impl IncomingAlert {
    /// Reads an alert from a request body in either form.
    pub(crate) async fn read(
        headers: &HeaderMap,
        body: Body,
        defaults: AlertDefaults,
    ) -> Result<Self, ApiError> {
        let bytes = ENVELOPE.read(body).await?;
        if is_envelope(headers, &bytes) {
            let request: SubmitAlertRequest = read_json(&bytes)?;
            request.into_alert(defaults)
        } else {
            Self::from_data(&bytes, defaults)
        }
    }

    fn from_data(bytes: &[u8], defaults: AlertDefaults) -> Result<Self, ApiError> {
        let data = std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            ApiError::bad("body", format!("must be UTF-8; byte {at} is invalid"))
        })?;
        let data = checked_data(data.to_owned())?;
        Ok(Self {
            alert_id: None,
            alert_type: defaults.alert_type,
            runbook: runbook(None, &data)?,
            data,
            author: defaults.author.map(Author::Authenticated),
            mcp: None,
            slack_message_fingerprint: None,
        })
    }
}

impl SubmitAlertRequest {
    fn into_alert(self, defaults: AlertDefaults) -> Result<IncomingAlert, ApiError> {
        let data = checked_data(text_of(&self.data)?)?;
        let fingerprint = self.slack_message_fingerprint.filter(|text| !text.trim().is_empty());
        let checked = |text| at_most(FINGERPRINT_LIMIT, "slack_message_fingerprint", text);
        Ok(IncomingAlert {
            alert_id: self.alert_id.map(|id| checked_name("alert_id", id)).transpose()?,
            alert_type: self.alert_type.or(defaults.alert_type),
            runbook: runbook(self.runbook, &data)?,
            data,
            author: author(self.author, defaults.author)?,
            mcp: self.mcp,
            slack_message_fingerprint: fingerprint.map(checked).transpose()?,
        })
    }
}

fn author(claimed: Option<String>, authenticated: Option<String>) -> Result<Option<Author>, ApiError> {
    let claimed = claimed.map(|name| checked_name("author", name)).transpose()?;
    Ok(claimed.map(Author::Claimed).or(authenticated.map(Author::Authenticated)))
}

/// Returns the text of a JSON string; any other value is returned verbatim, including its whitespace.
fn text_of(data: &RawValue) -> Result<String, ApiError> {
    match data.get() {
        "null" => Err(ApiError::bad("data", "must not be null; expected a string or any other JSON value")),
        text if text.starts_with('"') => {
            serde_json::from_str(text).map_err(|error| ApiError::bad("data", error.to_string()))
        }
        value => Ok(value.to_owned()),
    }
}

fn checked_data(data: String) -> Result<String, ApiError> {
    if data.trim().is_empty() {
        return Err(ApiError::bad("data", "must not be empty"));
    }
    at_most(DATA_LIMIT, "data", data)
}

/// Returns the runbook of the envelope, or else the one that the data names.
fn runbook(of_envelope: Option<String>, data: &str) -> Result<Option<String>, ApiError> {
    let of_envelope = of_envelope.filter(|text| !text.trim().is_empty());
    let runbook = of_envelope.or_else(|| AlertFields::parse(data).runbook().map(str::to_owned));
    runbook.map(|text| at_most(RUNBOOK_LIMIT, "runbook", text)).transpose()
}

fn at_most(limit: usize, what: &'static str, text: String) -> Result<String, ApiError> {
    if text.len() > limit { Err(ApiError::TooLarge { what, limit }) } else { Ok(text) }
}

fn checked_name(field: &str, name: String) -> Result<String, ApiError> {
    let is_name = !name.trim().is_empty() && name.len() <= NAME_LIMIT && !name.chars().any(char::is_control);
    if is_name {
        return Ok(name);
    }
    let problem = format!("expected 1 to {NAME_LIMIT} bytes without line breaks or other control characters");
    Err(ApiError::bad(field, problem))
}

#[cfg(test)]
mod tests {
    use axum::http::header;

    use super::*;

    async fn read(kind: &str, body: impl Into<Body>) -> Result<IncomingAlert, String> {
        let mut headers = HeaderMap::new();
        if !kind.is_empty() {
            headers.insert(header::CONTENT_TYPE, kind.parse().unwrap());
        }
        let defaults =
            AlertDefaults { alert_type: Some("from-query".to_owned()), author: Some("ann".to_owned()) };
        IncomingAlert::read(&headers, body.into(), defaults).await.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn a_string_is_unescaped_and_any_other_value_is_kept_verbatim() {
        let cases = [
            (r#""a\u0041\n\"b\"""#, "aA\n\"b\""),
            ("{ \"b\" : 1.50,\n  \"a\":1e3, \"b\": 2 }", "{ \"b\" : 1.50,\n  \"a\":1e3, \"b\": 2 }"),
            ("[1, 12345678901234567890123]", "[1, 12345678901234567890123]"),
            ("false", "false"),
            ("0.10", "0.10"),
        ];
        for (written, kept) in cases {
            let alert = read("application/json", format!("{{\"data\": {written}}}")).await.unwrap();
            assert_eq!(alert.data, kept);
        }
    }

    #[tokio::test]
    async fn a_body_that_is_no_envelope_is_the_data() {
        let text = "{\"data\": \"not an envelope\", \"title\": \"Disk\"}";
        for kind in ["", "text/plain", "application/x-www-form-urlencoded", "text/json"] {
            let alert = read(kind, text).await.unwrap();
            assert_eq!((alert.data.as_str(), alert.alert_type.as_deref()), (text, Some("from-query")));
        }
        for kind in ["application/json", "Application/JSON; charset=utf-8", "application/vnd.alert+json"] {
            let error = read(kind, text).await.unwrap_err();
            assert!(error.starts_with("title: unknown field `title`"), "{kind}: {error}");
        }
    }

    #[test]
    fn the_shape_of_an_envelope_has_all_fields_of_the_request() {
        let mut known: Vec<&str> = SubmitAlertRequest::FIELDS.to_vec();
        let unknown = serde_json::from_str::<SubmitAlertRequest>(r#"{"x": 1}"#).unwrap_err().to_string();
        let (_, listed) = unknown.split_once("expected one of ").unwrap();
        let (listed, _) = listed.split_once(" at line").unwrap();
        let mut expected: Vec<&str> = listed.split(", ").map(|name| name.trim_matches('`')).collect();
        known.sort_unstable();
        expected.sort_unstable();
        assert_eq!(known, expected);
    }

    #[tokio::test]
    async fn the_body_takes_precedence_over_defaults() {
        let body = r#"{"data": "x", "alert_type": "mine", "author": "bob"}"#;
        let alert = read("application/json", body).await.unwrap();
        let bob = Author::Claimed("bob".to_owned());
        assert_eq!((alert.alert_type.as_deref(), alert.author), (Some("mine"), Some(bob)));
        let alert = read("application/json", r#"{"data": "x"}"#).await.unwrap();
        let ann = Author::Authenticated("ann".to_owned());
        assert_eq!((alert.alert_type.as_deref(), alert.author), (Some("from-query"), Some(ann)));
    }

    #[tokio::test]
    async fn an_error_names_the_field() {
        let long = format!(r#"{{"data": "x", "alert_id": "{}"}}"#, "i".repeat(257));
        let cases: [(&str, &str); 11] = [
            (
                r#"{"data": "x", "alert_tpye": "k"}"#,
                "alert_tpye: unknown field `alert_tpye`, expected one of",
            ),
            (r#"{"alert_type": "k"}"#, "body: missing field `data`"),
            (r#"{"data": null}"#, "data: must not be null"),
            (r#"{"data": " \n"}"#, "data: must not be empty"),
            (r#"{"data": "\ud800"}"#, "data: "),
            (r#"{"data": "x", "data": "y"}"#, "duplicate field `data`"),
            (
                r#"{"data": "x", "mcp": {"servers": [{"nam": "s"}]}}"#,
                "mcp.servers[0].nam: unknown field `nam`",
            ),
            (r#"{"data": "x", "author": "a\nb"}"#, "author: expected 1 to 256 bytes"),
            (r#"{"data": "x", "alert_id": 7}"#, "alert_id: invalid type: integer `7`, expected a string"),
            ("[]", "body: invalid"),
            (&long, "alert_id: expected 1 to 256 bytes"),
        ];
        for (body, message) in cases {
            let error = read("application/json", body.to_owned()).await.unwrap_err();
            assert!(error.contains(message), "{body}: {error}");
        }
        let error = read("text/plain", vec![b'a', 0xff]).await.unwrap_err();
        assert_eq!(error, "body: must be UTF-8; byte 1 is invalid");
    }

    #[tokio::test]
    async fn the_limit_applies_to_the_unescaped_data() {
        let limit = 1 << 20;
        let escaped = format!(r#"{{"data": "{}"}}"#, "\\u0061".repeat(limit));
        assert_eq!(read("application/json", escaped).await.unwrap().data.len(), limit);
        assert_eq!(read("text/plain", "a".repeat(limit)).await.unwrap().data.len(), limit);
        let expected = "data is larger than the limit of 1048576 bytes";
        assert_eq!(read("text/plain", "a".repeat(limit + 1)).await.unwrap_err(), expected);
        let envelope = format!(r#"{{"data": "{}"}}"#, "a".repeat(limit + 1));
        assert_eq!(read("application/json", envelope).await.unwrap_err(), expected);
        let huge = read("application/json", "[".repeat(9 * limit)).await.unwrap_err();
        assert!(huge.contains("`data` may have 1048576 bytes"), "{huge}");
    }
}
