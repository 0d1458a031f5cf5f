//! Errors of OpenAI and compatible servers, as responses and inside streams.
//!
//! The same object is the body of an error response and an event of a stream. Codes and messages are more
//! reliable than the status: some gateways use one status for everything.

use std::time::Duration;

use serde_json::Value;
use tarsy_domain::ModelFailureKind;

use super::endpoint;
use crate::http::{HttpFailure, SseEvent};
use crate::wire::failure::{is_too_long, kind_of, message_in, message_of, retry_after};
use crate::{ModelError, Settings};

/// Error codes and types with a definite meaning.
const CODES: &[(&str, ModelFailureKind)] = &[
    ("authentication_error", ModelFailureKind::Credentials),
    ("billing_hard_limit_reached", ModelFailureKind::Credentials),
    ("billing_not_active", ModelFailureKind::Credentials),
    ("content_filter", ModelFailureKind::ContentFiltered),
    ("content_policy_violation", ModelFailureKind::ContentFiltered),
    ("context_length_exceeded", ModelFailureKind::ContextTooLong),
    ("contextwindowexceedederror", ModelFailureKind::ContextTooLong),
    ("exceed_context_size_error", ModelFailureKind::ContextTooLong),
    ("insufficient_quota", ModelFailureKind::Credentials),
    ("invalid_api_key", ModelFailureKind::Credentials),
    ("overloaded_error", ModelFailureKind::Overloaded),
    ("permission_error", ModelFailureKind::Credentials),
    ("rate_limit_error", ModelFailureKind::RateLimit),
    ("rate_limit_exceeded", ModelFailureKind::RateLimit),
    ("server_is_overloaded", ModelFailureKind::Overloaded),
    ("slow_down", ModelFailureKind::Overloaded),
    // Groq's codes for a reply that it cannot read. The model made the mistake: the provider works.
    ("json_validate_failed", ModelFailureKind::ProviderBug),
    ("output_parse_failed", ModelFailureKind::ProviderBug),
    ("tool_use_failed", ModelFailureKind::ProviderBug),
];
/// Codes for an invalid tool call of the model.
const INVALID_CALL: &[&str] = &["tool_use_failed", "output_parse_failed"];
/// Phrases of messages without a code.
const PHRASES: &[(&str, ModelFailureKind)] = &[
    ("contextwindowexceeded", ModelFailureKind::ContextTooLong),
    ("maximum model length", ModelFailureKind::ContextTooLong),
    ("maximum prompt length", ModelFailureKind::ContextTooLong),
    // A single request above the limit per minute: waiting does not help.
    ("request too large", ModelFailureKind::ContextTooLong),
    ("incorrect api key", ModelFailureKind::Credentials),
    ("invalid api key", ModelFailureKind::Credentials),
    ("insufficient balance", ModelFailureKind::Credentials),
    ("usage policy", ModelFailureKind::ContentFiltered),
    ("requires moderation", ModelFailureKind::ContentFiltered),
];
const NO_CREDIT: &[&str] =
    &["insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient balance"];

/// Returns the error for a response with an error status.
fn from_response(failure: &HttpFailure) -> ModelError {
    let body = serde_json::from_str(&failure.body).unwrap_or(Value::Null);
    let message = message_of(&failure.body);
    let kind = kind(&body, &message, Some(failure.status));
    let details = with_explanation(&body, &message, Some(failure.status));
    let error = ModelError::new(kind, format!("the provider answered {}: {details}", failure.status));
    with_failed_generation(error, &body)
        .retry_after(retry_after(&failure.headers).or_else(|| delay_in(&message)))
}

/// Returns the error for a response with an error status. For status 404 it names the model and the URL.
pub(crate) fn response_error(settings: &Settings, failure: &HttpFailure, path: &str) -> ModelError {
    let mut error = from_response(failure);
    if failure.status == 404 {
        let (model, mut url) = (&settings.origin.model, endpoint(&settings.base_url, path));
        url.set_query(None);
        remove_credentials(&mut url);
        let hint = format!(" (asked for the model {model} at {url}; check the model's name and base_url)");
        error.failure.message.push_str(&hint);
    }
    error
}

/// Removes user and password from a URL. The calls fail only for URLs that cannot have them.
fn remove_credentials(url: &mut url::Url) {
    let _ = url.set_username("");
    let _ = url.set_password(None);
}

/// Returns whether an event is an error. `content`: keys of events that are not.
pub(crate) fn is_error_event(event: &SseEvent, value: &Value, content: &[&str]) -> bool {
    let has = |key: &str| value.get(key).is_some_and(|value| !value.is_null());
    event.name == "error"
        || has("error")
        || value["object"] == "error"
        || (!content.iter().any(|key| has(key)) && describes_error(value))
}

/// Returns whether an object, or a list of objects, has a message.
fn describes_error(value: &Value) -> bool {
    let objects = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
    objects.iter().any(|object| object.is_object() && message_in(object).is_some())
}

/// Returns the error for an error event inside a stream. Unknown errors are server errors: the request was
/// accepted.
pub(crate) fn event_error(value: &Value) -> ModelError {
    let text = if value.is_null() { String::new() } else { value.to_string() };
    let message = message_of(&text);
    let details = with_explanation(value, &message, None);
    let error = ModelError::new(kind(value, &message, None), format!("the provider broke off: {details}"));
    with_failed_generation(error, value).retry_after(delay_in(&message))
}

/// Adds what the model wrote, if the provider rejected it and returns it with the error.
fn with_failed_generation(mut error: ModelError, body: &Value) -> ModelError {
    let written = error_in(body).get("failed_generation").and_then(Value::as_str);
    error.failure.partial_text = written.unwrap_or_default().to_owned();
    error
}

fn kind(body: &Value, message: &str, status: Option<u16>) -> ModelFailureKind {
    let lower = message.to_lowercase();
    let find = |table: &[(&str, ModelFailureKind)], by: &dyn Fn(&str) -> bool| {
        table.iter().find(|(text, _)| by(text)).map(|(_, kind)| *kind)
    };
    let codes = codes_of(body);
    if lower.contains("request too large") {
        return ModelFailureKind::ContextTooLong;
    }
    if let Some(kind) = find(CODES, &|code| codes.iter().any(|known| known == code)) {
        return kind;
    }
    if let Some(kind) = find(PHRASES, &|phrase| lower.contains(phrase)) {
        return kind;
    }
    let rejected =
        codes.iter().any(|code| code.starts_with("invalid_request") || code.starts_with("badrequest"));
    match status.or_else(|| numeric_code(body)) {
        Some(402) => ModelFailureKind::Credentials,
        Some(500..600) if is_too_long(message) => ModelFailureKind::ContextTooLong,
        Some(status) => kind_of(status, message),
        None if is_too_long(message) => ModelFailureKind::ContextTooLong,
        None if rejected => ModelFailureKind::InvalidRequest,
        None => ModelFailureKind::Overloaded,
    }
}

/// Returns the message, with an explanation if the account has no credit.
fn with_explanation(body: &Value, message: &str, status: Option<u16>) -> String {
    let codes = codes_of(body);
    let lower = message.to_lowercase();
    let no_credit = status.or_else(|| numeric_code(body)) == Some(402)
        || NO_CREDIT.iter().any(|reason| codes.iter().any(|code| code == reason) || lower.contains(reason));
    if INVALID_CALL.iter().any(|invalid| codes.iter().any(|code| code == invalid)) {
        return format!("the model wrote a tool call that the provider rejects: {message}");
    }
    if no_credit {
        return format!("{message} (the account has no credit or quota left; waiting does not help)");
    }
    message.to_owned()
}

/// Returns the object that describes the error.
fn error_in(body: &Value) -> &Value {
    body.get("error").filter(|error| error.is_object()).unwrap_or(body)
}

fn codes_of(body: &Value) -> Vec<String> {
    let error = error_in(body);
    ["code", "type"].iter().filter_map(|key| error.get(key)?.as_str()).map(str::to_lowercase).collect()
}

/// Returns the status that gateways put into the object.
fn numeric_code(body: &Value) -> Option<u16> {
    let error = error_in(body);
    ["code", "status_code", "status"]
        .iter()
        .filter_map(|key| error.get(key))
        .find_map(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()))
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| (400..600).contains(code))
}

/// Parses the delay in messages such as `Please try again in 1m2.5s`.
fn delay_in(message: &str) -> Option<Duration> {
    let (_, after) = message.split_once("try again in ")?;
    let mut rest = after.split_whitespace().next()?.trim_end_matches(['.', ',']);
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|character: char| !character.is_ascii_digit() && character != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let letters = &rest[digits..];
        let unit_length = letters.find(|character: char| character.is_ascii_digit()).unwrap_or(letters.len());
        seconds += number * seconds_of(&letters[..unit_length])?;
        rest = &letters[unit_length..];
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|delay| !delay.is_zero())
}

fn seconds_of(unit: &str) -> Option<f64> {
    Some(match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of_response(status: u16, body: &str) -> ModelFailureKind {
        let failure =
            HttpFailure { status, headers: reqwest::header::HeaderMap::new(), body: body.to_owned() };
        from_response(&failure).failure.kind
    }

    #[test]
    fn classifies_error_responses() {
        use ModelFailureKind as Kind;
        for (status, body, kind) in [
            (
                400,
                r#"{"error":{"message":"Your input exceeds the window","code":"context_length_exceeded"}}"#,
                Kind::ContextTooLong,
            ),
            (
                400,
                r#"{"object":"error","message":"The decoder prompt is longer than the maximum model length of 8","code":400}"#,
                Kind::ContextTooLong,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"too big for the slot","type":"exceed_context_size_error"}}"#,
                Kind::ContextTooLong,
            ),
            (500, r#"{"error":"the input length exceeds the context length"}"#, Kind::ContextTooLong),
            (
                400,
                r#"{"error":{"message":"litellm.ContextWindowExceededError: no","code":"400"}}"#,
                Kind::ContextTooLong,
            ),
            (
                429,
                r#"{"error":{"message":"Request too large on tokens per min","code":"rate_limit_exceeded"}}"#,
                Kind::ContextTooLong,
            ),
            (429, r#"{"error":{"message":"Slow","code":"rate_limit_exceeded"}}"#, Kind::RateLimit),
            (
                429,
                r#"{"error":{"message":"No more","type":"insufficient_quota","code":"insufficient_quota"}}"#,
                Kind::Credentials,
            ),
            (402, r#"{"error":{"message":"Insufficient credits","code":402}}"#, Kind::Credentials),
            (400, r#"{"code":"invalid-argument","error":"Incorrect API key provided"}"#, Kind::Credentials),
            (400, r#"{"error":{"code":"content_filter","message":"blocked"}}"#, Kind::ContentFiltered),
            (
                403,
                r#"{"error":{"code":403,"message":"this model requires moderation"}}"#,
                Kind::ContentFiltered,
            ),
            (404, r#"{"error":{"message":"model 'x' not found"}}"#, Kind::InvalidRequest),
            (422, r#"{"detail":"a field is missing"}"#, Kind::InvalidRequest),
            (502, "<html>bad gateway</html>", Kind::Overloaded),
        ] {
            assert_eq!(kind_of_response(status, body), kind, "{body}");
        }
    }

    #[test]
    fn reads_delays_from_messages() {
        for (message, milliseconds) in [
            ("Please try again in 1.5s. Visit us", Some(1500)),
            ("Please try again in 20ms.", Some(20)),
            ("try again in 7m12.5s, or later", Some(432_500)),
            ("try again in a moment", None),
            ("try again in 5", None),
            ("later", None),
        ] {
            assert_eq!(delay_in(message), milliseconds.map(Duration::from_millis), "{message}");
        }
    }
}
