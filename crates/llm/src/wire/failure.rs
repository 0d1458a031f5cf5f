//! What all vendors' error responses have in common.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;
use tarsy_domain::ModelFailureKind;

const MAX_MESSAGE_CHARACTERS: usize = 600;
/// Phrases for a conversation that is too long; no vendor has a separate status for it.
const TOO_LONG_PHRASES: &[&str] = &[
    "context length",
    "context window",
    "context size",
    "context_length_exceeded",
    "exceed_context_size",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "input token count",
    "exceeds the maximum number of tokens",
];

/// Classifies a failure by its status and message.
pub(crate) fn kind_of(status: u16, message: &str) -> ModelFailureKind {
    match status {
        401 | 403 => ModelFailureKind::Credentials,
        408 | 504 => ModelFailureKind::Timeout,
        413 => ModelFailureKind::ContextTooLong,
        429 => ModelFailureKind::RateLimit,
        // Conflicting requests; the vendors' own clients retry them.
        409 => ModelFailureKind::Overloaded,
        400..500 if is_too_long(message) => ModelFailureKind::ContextTooLong,
        400..500 => ModelFailureKind::InvalidRequest,
        500..600 => ModelFailureKind::Overloaded,
        _ => ModelFailureKind::ProviderBug,
    }
}

/// Returns whether a message is about a conversation that is too long.
pub(crate) fn is_too_long(message: &str) -> bool {
    let message = message.to_lowercase();
    TOO_LONG_PHRASES.iter().any(|phrase| message.contains(phrase))
}

/// Returns the message in the body of an error response, or the body itself.
pub(crate) fn message_of(body: &str) -> String {
    let message = serde_json::from_str::<Value>(body).ok().and_then(|body| message_in(&body));
    truncated(&message.unwrap_or_else(|| body.trim().to_owned()))
}

/// Returns the message of an error object, nested or flat.
pub(crate) fn message_in(body: &Value) -> Option<String> {
    let error = match body {
        Value::Array(bodies) => return bodies.iter().find_map(message_in),
        Value::Object(_) => body.get("error").unwrap_or(body),
        Value::String(message) => return Some(message.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) => return None,
    };
    if let Some(message) = error.as_str() {
        return Some(message.to_owned());
    }
    let message = ["message", "detail", "error"].iter().find_map(|key| error.get(key)?.as_str())?;
    // Gateways put the vendor's message into `metadata.raw`.
    let raw = error.get("metadata").and_then(|metadata| metadata.get("raw")).and_then(Value::as_str);
    Some(raw.map_or_else(|| message.to_owned(), |raw| format!("{message}: {raw}")))
}

/// Returns the delay that the provider requests: milliseconds in `retry-after-ms`, or seconds or a date in
/// `Retry-After`.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    retry_after_at(headers, Timestamp::now())
}

fn retry_after_at(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| Some(headers.get(name)?.to_str().ok()?.trim());
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number(RETRY_AFTER.as_str()));
    match seconds {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        None => until(text(RETRY_AFTER.as_str())?, now),
    }
}

/// Returns the time until an HTTP date; zero if it is in the past.
fn until(date: &str, now: Timestamp) -> Option<Duration> {
    let date = DateTimeParser::new().relaxed_weekday(true).parse_timestamp(date).ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or_default())
}

fn truncated(message: &str) -> String {
    match message.char_indices().nth(MAX_MESSAGE_CHARACTERS) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None if message.is_empty() => "nothing more was said".to_owned(),
        None => message.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test panics on unexpected results")]
mod tests {
    use super::*;

    #[test]
    fn reads_retry_delays_in_every_format() {
        let now = "2026-11-15T08:00:00Z".parse().unwrap();
        for (name, value, milliseconds) in [
            ("retry-after", "30", Some(30_000)),
            ("retry-after", "0.5", Some(500)),
            ("retry-after-ms", "70", Some(70)),
            ("retry-after", "Sun, 15 Nov 2026 08:00:20 GMT", Some(20_000)),
            ("retry-after", "Sun, 15 Nov 2026 07:59:00 GMT", Some(0)),
            ("retry-after", "-1", None),
            ("retry-after", "soon", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            let expected = milliseconds.map(Duration::from_millis);
            assert_eq!(retry_after_at(&headers, now), expected, "{name}: {value}");
        }
    }
}
