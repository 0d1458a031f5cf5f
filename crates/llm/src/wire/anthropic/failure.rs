//! Errors of the vendor, as responses and inside streams.

use serde_json::Value;
use tarsy_domain::ModelFailureKind;

use crate::ModelError;
use crate::http::HttpFailure;
use crate::wire::failure;

/// Returns the error for a response with an error status.
pub(super) fn from_response(response: &HttpFailure) -> ModelError {
    let body = serde_json::from_str(&response.body).unwrap_or_default();
    let message = failure::message_of(&response.body);
    let kind = kind_of(error_type(&body), response.status, &message);
    let request = body
        .get("request_id")
        .and_then(Value::as_str)
        .or_else(|| response.headers.get("request-id").and_then(|id| id.to_str().ok()));
    let request = request.map(|id| format!(" (request {id})")).unwrap_or_default();
    let what = match message.strip_prefix("model:") {
        Some(model) if response.status == 404 => {
            format!("the provider does not know the model {}", model.trim())
        }
        Some(_) | None => format!("the provider answered {}: {message}", response.status),
    };
    ModelError::new(kind, format!("{what}{request}")).retry_after(failure::retry_after(&response.headers))
}

/// Returns the error for an error event inside a stream.
pub(super) fn from_event(data: &str) -> ModelError {
    let body: Value = serde_json::from_str(data).unwrap_or_default();
    let message = failure::message_of(data);
    let code = body.pointer("/error/code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let kind = kind_of(error_type(&body), code.unwrap_or(500), &message);
    ModelError::new(kind, format!("the provider broke off the reply: {message}"))
}

/// Returns the vendor's error type, nested or flat.
fn error_type(body: &Value) -> &str {
    let nested = body.pointer("/error/type").or_else(|| body.get("type"));
    nested.and_then(Value::as_str).unwrap_or_default()
}

/// Classifies an error. The vendor's error type is more specific than the status; gateways and Google send
/// only the status.
fn kind_of(error_type: &str, status: u16, message: &str) -> ModelFailureKind {
    match error_type {
        "authentication_error" | "permission_error" | "billing_error" => ModelFailureKind::Credentials,
        "rate_limit_error" => ModelFailureKind::RateLimit,
        "overloaded_error" | "api_error" => ModelFailureKind::Overloaded,
        "timeout_error" => ModelFailureKind::Timeout,
        "request_too_large" => ModelFailureKind::ContextTooLong,
        "invalid_request_error" | "not_found_error" => kind_of_invalid(message),
        _ if failure::kind_of(status, message) == ModelFailureKind::InvalidRequest => {
            kind_of_invalid(message)
        }
        _ => failure::kind_of(status, message),
    }
}

/// Classifies an invalid request by its message: the vendor has one error type for all of them.
fn kind_of_invalid(message: &str) -> ModelFailureKind {
    let lower = message.to_lowercase();
    if failure::is_too_long(message) || lower.contains("exceed context limit") {
        ModelFailureKind::ContextTooLong
    } else if lower.contains("credit balance") {
        ModelFailureKind::Credentials
    } else if lower.contains("content filtering") {
        ModelFailureKind::ContentFiltered
    } else {
        ModelFailureKind::InvalidRequest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ModelFailureKind::*;

    #[test]
    fn the_error_type_decides_the_kind() {
        let cases = [
            ("authentication_error", 401, "invalid x-api-key", Credentials),
            ("permission_error", 403, "not allowed", Credentials),
            ("billing_error", 402, "pay first", Credentials),
            ("rate_limit_error", 429, "slow down", RateLimit),
            ("overloaded_error", 529, "Overloaded", Overloaded),
            ("api_error", 500, "Internal server error", Overloaded),
            ("timeout_error", 504, "too slow", Timeout),
            ("request_too_large", 413, "too large", ContextTooLong),
            ("not_found_error", 404, "model: claude-x", InvalidRequest),
            (
                "invalid_request_error",
                400,
                "prompt is too long: 210000 tokens > 200000 maximum",
                ContextTooLong,
            ),
            (
                "invalid_request_error",
                400,
                "input length and `max_tokens` exceed context limit: 1 + 2 > 2",
                ContextTooLong,
            ),
            ("invalid_request_error", 400, "Your credit balance is too low", Credentials),
            ("invalid_request_error", 400, "Output blocked by content filtering policy", ContentFiltered),
            ("invalid_request_error", 400, "messages: too few", InvalidRequest),
            ("", 429, "Quota exceeded", RateLimit),
            ("", 400, "input is too long", ContextTooLong),
            ("", 503, "unavailable", Overloaded),
            ("", 302, "elsewhere", ProviderBug),
        ];
        for (error_type, status, message, expected) in cases {
            assert_eq!(kind_of(error_type, status, message), expected, "{error_type} {status} {message}");
        }
    }

    #[test]
    fn reads_nested_flat_and_foreign_errors_inside_a_stream() {
        let cases = [
            (
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                Overloaded,
                "Overloaded",
            ),
            (r#"{"type":"rate_limit_error","message":"slow down"}"#, RateLimit, "slow down"),
            (r#"{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED"}}"#, RateLimit, "Quota"),
            (r#"{"error":"broken"}"#, Overloaded, "broken"),
        ];
        for (data, kind, message) in cases {
            let error = from_event(data);
            assert_eq!(error.failure.kind, kind, "{data}");
            assert_eq!(error.failure.message, format!("the provider broke off the reply: {message}"));
        }
    }
}
