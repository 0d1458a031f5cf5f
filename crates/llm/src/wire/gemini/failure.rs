//! Google's errors, as responses and inside streams.
//!
//! They have a status name next to the number. Two of their details matter: the retry delay, and an invalid
//! key, which has status 400.

use std::time::Duration;

use serde_json::Value;
use tarsy_domain::ModelFailureKind;

use super::super::failure;
use crate::ModelError;
use crate::http::HttpFailure;

/// Returns the error for a response with an error status.
pub(super) fn from_response(response: &HttpFailure) -> ModelError {
    let body: Value = serde_json::from_str(&response.body).unwrap_or(Value::Null);
    let error = read_error(&body, response.status, failure::message_of(&response.body));
    let retry_after = error.delay().or_else(|| failure::retry_after(&response.headers));
    error.retry_after(retry_after)
}

/// Returns the error for an error event inside a stream.
pub(super) fn from_event(body: &str) -> ModelError {
    let value: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    // An error inside a reply that has no status is a server error.
    read_error(&value, 500, failure::message_of(body))
}

fn read_error(body: &Value, status: u16, message: String) -> ModelError {
    let error = error_in(body);
    let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let code = code.filter(|code| *code >= 400).unwrap_or(status);
    let status_name = error.get("status").and_then(Value::as_str).unwrap_or_default();
    let details = error.get("details").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let kind = kind_of(code, status_name, details, &message);
    let shown = if status_name.is_empty() { String::new() } else { format!(" ({status_name})") };
    ModelError::new(kind, format!("the provider answered {code}{shown}: {}", without_key(message)))
        .retry_after(details.iter().find_map(retry_delay))
}

/// Returns the error object, which may be wrapped in an object, and that in a list.
fn error_in(body: &Value) -> &Value {
    let body = body.get(0).unwrap_or(body);
    body.get("error").filter(|error| error.is_object()).unwrap_or(body)
}

fn kind_of(code: u16, status_name: &str, details: &[Value], message: &str) -> ModelFailureKind {
    match status_name {
        "RESOURCE_EXHAUSTED" => ModelFailureKind::RateLimit,
        "UNAVAILABLE" | "INTERNAL" | "ABORTED" | "CANCELLED" => ModelFailureKind::Overloaded,
        "DEADLINE_EXCEEDED" => ModelFailureKind::Timeout,
        "UNAUTHENTICATED" | "PERMISSION_DENIED" => ModelFailureKind::Credentials,
        _ if is_about_key(details, message) => ModelFailureKind::Credentials,
        _ if message.contains("payload size exceeds") => ModelFailureKind::ContextTooLong,
        _ => failure::kind_of(code, message),
    }
}

fn is_about_key(details: &[Value], message: &str) -> bool {
    let reasons = details.iter().filter_map(|detail| detail.get("reason")?.as_str());
    reasons.into_iter().any(|reason| reason.starts_with("API_KEY_"))
        || message.contains("API key not valid")
        || message.contains("API key expired")
}

/// Parses the delay of `google.rpc.RetryInfo`, such as `34.4s`.
fn retry_delay(detail: &Value) -> Option<Duration> {
    let seconds = detail.get("retryDelay")?.as_str()?.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Removes the API key from a message: Google quotes it for suspended callers.
fn without_key(message: String) -> String {
    const BEFORE: &str = "api_key:";
    let Some((before, rest)) = message.split_once(BEFORE) else { return message };
    let end = rest.find(|character: char| !(character.is_ascii_alphanumeric() || "-_".contains(character)));
    format!("{before}{BEFORE}…{}", end.map_or("", |end| &rest[end..]))
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;

    use super::*;

    #[test]
    fn status_details_and_message_decide_the_kind() {
        use ModelFailureKind as Kind;
        for (status, error, kind) in [
            (429, r#"{"code":429,"message":"Slow down.","status":"RESOURCE_EXHAUSTED"}"#, Kind::RateLimit),
            (503, r#"{"code":503,"message":"Overloaded.","status":"UNAVAILABLE"}"#, Kind::Overloaded),
            (500, r#"{"code":500,"message":"Oops.","status":"INTERNAL"}"#, Kind::Overloaded),
            (504, r#"{"code":504,"message":"Late.","status":"DEADLINE_EXCEEDED"}"#, Kind::Timeout),
            (403, r#"{"code":403,"message":"No.","status":"PERMISSION_DENIED"}"#, Kind::Credentials),
            (400, r#"{"code":400,"message":"API key not valid. Try another."}"#, Kind::Credentials),
            (
                400,
                r#"{"code":400,"status":"INVALID_ARGUMENT","message":"No.","details":[{"reason":"API_KEY_INVALID"}]}"#,
                Kind::Credentials,
            ),
            (
                400,
                r#"{"status":"INVALID_ARGUMENT","message":"The input token count (9) exceeds the maximum of 8."}"#,
                Kind::ContextTooLong,
            ),
            (400, r#"{"status":"INVALID_ARGUMENT","message":"Unknown name."}"#, Kind::InvalidRequest),
            (404, r#"{"status":"NOT_FOUND","message":"No such model."}"#, Kind::InvalidRequest),
        ] {
            for body in [format!(r#"{{"error":{error}}}"#), format!(r#"[{{"error":{error}}}]"#)] {
                let failure = HttpFailure { status, headers: HeaderMap::new(), body };
                assert_eq!(from_response(&failure).failure.kind, kind, "{error}");
            }
        }
    }

    #[test]
    fn a_key_is_not_repeated() {
        let body = r#"{"error":{"code":403,"message":"Consumer 'api_key:AIza-b_c' is suspended."}}"#;
        let error = from_event(body);
        let expected = "the provider answered 403: Consumer 'api_key:…' is suspended.";
        assert_eq!(
            (error.failure.kind, error.to_string().as_str()),
            (ModelFailureKind::Credentials, expected)
        );
    }

    #[test]
    fn reads_an_error_that_is_not_json() {
        let failure = HttpFailure { status: 502, headers: HeaderMap::new(), body: "<html>".to_owned() };
        let error = from_response(&failure);
        assert_eq!(error.failure.kind, ModelFailureKind::Overloaded);
        assert_eq!(error.to_string(), "the provider answered 502: <html>");
    }
}
