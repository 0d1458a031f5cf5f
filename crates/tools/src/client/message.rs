//! Parses messages of a server from untrusted text.
//!
//! Anything that is not a message is skipped: servers print banners, and newer ones send unknown messages.

use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ErrorData, RequestId};
use rmcp::service::RxJsonRpcMessage;
use tracing::debug;

use crate::stdio::Diagnosis;
use crate::stdio::lines::BoundedLine;

/// Maximum size of a message, and so the maximum memory that a response takes while it arrives.
pub(crate) const MAX_MESSAGE_BYTES: usize = 32 * 1024 * 1024;

/// Parses a line. A message that is too large becomes an error response for the request with its id.
pub(crate) fn read_line(line: BoundedLine, diagnosis: &Diagnosis) -> Option<RxJsonRpcMessage<RoleClient>> {
    match line {
        BoundedLine::Whole(line) => {
            let message = read_message(&line);
            if message.is_none() && !line.trim_ascii().is_empty() && !is_json(&line) {
                diagnosis.add_garbage(&String::from_utf8_lossy(&line[..line.len().min(1024)]));
            }
            message
        }
        BoundedLine::Cut { head, tail, bytes } => {
            let id = id_in(&head, true).or_else(|| id_in(&tail, false))?;
            Some(RxJsonRpcMessage::<RoleClient>::error(too_large(bytes), Some(id)))
        }
    }
}

/// Parses a text, or returns `None` if it is not a message.
pub(crate) fn read_message(text: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii();
    if text.is_empty() {
        return None;
    }
    match serde_json::from_slice(text) {
        Ok(message) => Some(message),
        Err(error) => {
            // The error itself may quote the text.
            debug!(kind = ?error.classify(), bytes = text.len(), "skipped text that is not a message");
            None
        }
    }
}

/// Returns the error that replaces a message that is too large. Its text is shown to models.
pub(crate) fn too_large(bytes: usize) -> ErrorData {
    let (mib, limit) = (bytes >> 20, MAX_MESSAGE_BYTES >> 20);
    let message = format!(
        "the response has {mib} MiB, more than the limit of {limit} MiB, and was not read; request less, for example \
         with a filter, a limit or a shorter time range"
    );
    ErrorData::new(ErrorCode::INTERNAL_ERROR, message, None)
}

fn is_json(line: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
}

/// Finds the id in one end of a truncated message. JSON libraries write it before or after the result.
fn id_in(part: &[u8], first: bool) -> Option<RequestId> {
    let part = String::from_utf8_lossy(part);
    let key = if first { part.find("\"id\":") } else { part.rfind("\"id\":") }?;
    // An id in the head must precede the result, and no object or list may start after an id in the tail;
    // otherwise the id is part of the result.
    let foreign = if first { part[..key].contains("\"result\"") } else { part[key..].contains(['{', '[']) };
    let value = part[key + 5..].trim_start();
    let end = value.find([',', '}', ' ']).unwrap_or(value.len());
    if foreign { None } else { serde_json::from_str(&value[..end]).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(head: &str, tail: &str) -> Option<RequestId> {
        let line = BoundedLine::Cut { head: head.into(), tail: tail.into(), bytes: 50 << 20 };
        let message = read_line(line, &Diagnosis::default())?;
        let RxJsonRpcMessage::<RoleClient>::Error(error) = message else { panic!("{message:?}") };
        error.id
    }

    #[test]
    fn responds_to_a_message_that_is_too_large_wherever_its_id_is() {
        let seven = Some(RequestId::Number(7));
        assert_eq!(cut(r#"{"jsonrpc":"2.0","id":7,"result":{"#, "aaa"), seven);
        assert_eq!(cut(r#"{"result":{"content":[{"id":9,"#, r#"aaa"}]},"jsonrpc":"2.0","id":7}"#), seven);
        assert_eq!(cut(r#"{"result":{"content":[{"id":9,"#, r#"{"id":8,"a":[{"x":1}]}]}}"#), None);
    }

    #[test]
    fn skips_and_remembers_text_that_is_not_a_message() {
        let diagnosis = Diagnosis::default();
        assert!(read_line(BoundedLine::Whole(b"Server started!".to_vec()), &diagnosis).is_none());
        assert_eq!(diagnosis.to_string(), "; its output is not MCP: `Server started!`");
    }
}
