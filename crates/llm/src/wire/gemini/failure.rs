//! Google's errors, as refusals and inside streams.
//!
//! They have a status word beside the number, and details of which two matter: how long to wait, and that a key is
//! wrong, which comes with status 400.

use std::time::Duration;

use serde_json::Value;
use tarsy_domain::ModelFailureKind;

use super::super::failure;
use crate::ModelError;
use crate::http::HttpFailure;

/// What an answer means that is not a stream.
pub(super) fn read_refusal(failure: &HttpFailure) -> ModelError {
    let body: Value = serde_json::from_str(&failure.body).unwrap_or(Value::Null);
    let error = read_error(&body, failure.status, failure::message_of(&failure.body));
    let retry_after = error.retry_after.or_else(|| failure::retry_after(&failure.headers));
    error.retry_after(retry_after)
}

/// What an error inside a stream means.
pub(super) fn read_stream_error(body: &str) -> ModelError {
    let value: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    // Without a number of its own, an error in the midst of a reply is the server's.
    read_error(&value, 500, failure::message_of(body))
}

fn read_error(body: &Value, status: u16, message: String) -> ModelError {
    let error = error_in(body);
    let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let code = code.filter(|code| *code >= 400).unwrap_or(status);
    let word = error.get("status").and_then(Value::as_str).unwrap_or_default();
    let details = error.get("details").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let kind = kind_of(code, word, details, &message);
    let shown = if word.is_empty() { String::new() } else { format!(" ({word})") };
    ModelError::new(kind, format!("the provider answered {code}{shown}: {}", without_key(message)))
        .retry_after(details.iter().find_map(retry_delay))
}

/// The error object, which may be wrapped in an object, and that in a list.
fn error_in(body: &Value) -> &Value {
    let body = body.get(0).unwrap_or(body);
    body.get("error").filter(|error| error.is_object()).unwrap_or(body)
}

fn kind_of(code: u16, word: &str, details: &[Value], message: &str) -> ModelFailureKind {
    match word {
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

/// `google.rpc.RetryInfo` writes a duration as `34.4s`.
fn retry_delay(detail: &Value) -> Option<Duration> {
    let seconds = detail.get("retryDelay")?.as_str()?.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Google names a suspended caller by its whole key.
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
    fn status_words_details_and_texts_tell_the_kind() {
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
                assert_eq!(read_refusal(&failure).failure.kind, kind, "{error}");
            }
        }
    }

    #[test]
    fn a_key_is_not_repeated() {
        let body = r#"{"error":{"code":403,"message":"Consumer 'api_key:AIza-b_c' is suspended."}}"#;
        let error = read_stream_error(body);
        let expected = "the provider answered 403: Consumer 'api_key:…' is suspended.";
        assert_eq!(
            (error.failure.kind, error.to_string().as_str()),
            (ModelFailureKind::Credentials, expected)
        );
    }

    #[test]
    fn an_error_without_an_object_is_still_one() {
        let failure = HttpFailure { status: 502, headers: HeaderMap::new(), body: "<html>".to_owned() };
        let error = read_refusal(&failure);
        assert_eq!(error.failure.kind, ModelFailureKind::Overloaded);
        assert_eq!(error.to_string(), "the provider answered 502: <html>");
    }
}
