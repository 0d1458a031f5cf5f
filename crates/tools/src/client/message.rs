//! A message of a server, read from a text of which nothing is known.
//!
//! What is no message is passed over: servers print banners, and newer ones send what we do not know.

use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ErrorData, RequestId};
use rmcp::service::RxJsonRpcMessage;
use tracing::debug;

use crate::stdio::Diagnosis;
use crate::stdio::lines::Line;

/// The largest message that is read, and so the most memory that an answer may take while it arrives.
pub(crate) const LARGEST_MESSAGE: usize = 32 * 1024 * 1024;

/// The message that a line holds. One that is too large becomes an error for whoever waits for it.
pub(crate) fn read_line(line: Line, diagnosis: &Diagnosis) -> Option<RxJsonRpcMessage<RoleClient>> {
    match line {
        Line::Whole(line) => {
            let message = read_message(&line);
            if message.is_none() && !line.trim_ascii().is_empty() && !is_json(&line) {
                diagnosis.babbled(&String::from_utf8_lossy(&line[..line.len().min(1024)]));
            }
            message
        }
        Line::Cut { head, tail, bytes } => {
            let id = id_in(&head, true).or_else(|| id_in(&tail, false))?;
            Some(RxJsonRpcMessage::<RoleClient>::error(too_large(bytes), Some(id)))
        }
    }
}

/// The message that a text holds, if it is one.
pub(crate) fn read_message(text: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii();
    if text.is_empty() {
        return None;
    }
    match serde_json::from_slice(text) {
        Ok(message) => Some(message),
        Err(error) => {
            // Not the error itself, which may quote the text.
            debug!(kind = ?error.classify(), bytes = text.len(), "passed over something that is no message");
            None
        }
    }
}

/// What is answered in place of a message that is too large.
pub(crate) fn too_large(bytes: usize) -> ErrorData {
    let (mib, limit) = (bytes >> 20, LARGEST_MESSAGE >> 20);
    let message = format!(
        "the answer has {mib} MiB and was not read: {limit} MiB is the most; ask for less, for example with a filter, \
         a limit or a shorter time"
    );
    ErrorData::new(ErrorCode::INTERNAL_ERROR, message, None)
}

fn is_json(line: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
}

/// The id of a message of which only one end is there. JSON libraries write it before or after the result.
fn id_in(part: &[u8], first: bool) -> Option<RequestId> {
    let part = String::from_utf8_lossy(part);
    let key = if first { part.find("\"id\":") } else { part.rfind("\"id\":") }?;
    // In front of the result it must come before it, and behind the result nothing may open after it.
    let foreign = if first { part[..key].contains("\"result\"") } else { part[key..].contains(['{', '[']) };
    let value = part[key + 5..].trim_start();
    let end = value.find([',', '}', ' ']).unwrap_or(value.len());
    if foreign { None } else { serde_json::from_str(&value[..end]).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(head: &str, tail: &str) -> Option<RequestId> {
        let line = Line::Cut { head: head.into(), tail: tail.into(), bytes: 50 << 20 };
        let message = read_line(line, &Diagnosis::default())?;
        let RxJsonRpcMessage::<RoleClient>::Error(error) = message else { panic!("{message:?}") };
        error.id
    }

    #[test]
    fn a_message_that_is_too_large_is_answered_for_wherever_its_id_is() {
        let seven = Some(RequestId::Number(7));
        assert_eq!(cut(r#"{"jsonrpc":"2.0","id":7,"result":{"#, "aaa"), seven);
        assert_eq!(cut(r#"{"result":{"content":[{"id":9,"#, r#"aaa"}]},"jsonrpc":"2.0","id":7}"#), seven);
        assert_eq!(cut(r#"{"result":{"content":[{"id":9,"#, r#"{"id":8,"a":[{"x":1}]}]}}"#), None);
    }

    #[test]
    fn what_is_no_message_is_passed_over_and_remembered() {
        let diagnosis = Diagnosis::default();
        assert!(read_line(Line::Whole(b"Server started!".to_vec()), &diagnosis).is_none());
        assert_eq!(diagnosis.to_string(), "; its output is not MCP: `Server started!`");
    }
}
