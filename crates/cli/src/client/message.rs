//! What the stream of a session says, as far as the terminal shows it.
//!
//! A newer server may say more: what is not known here is heard and passed over.

use serde::Deserialize;
use serde_json::value::RawValue;
use tarsy_domain::{ExecutionId, SessionStatus, StageId, TimelineEventType, WorkStatus};

/// One message of a stream.
#[derive(Debug)]
pub(crate) struct Message {
    /// Its place in the record, if it is stored.
    pub(crate) event_id: Option<u64>,
    /// The whole of it, as it came.
    pub(crate) json: String,
    pub(crate) news: News,
}

/// What a message says.
#[derive(Debug)]
pub(crate) enum News {
    Session(SessionStatus),
    Stage(Moved<StageId>),
    Execution(Moved<ExecutionId>),
    Entry(TimelineEntry),
    Chunk(Chunk),
    /// Something that is not shown.
    Other,
}

/// A piece of work that stands elsewhere now.
#[derive(Debug)]
pub(crate) struct Moved<Id> {
    pub(crate) id: Id,
    pub(crate) status: WorkStatus,
}

/// An entry of the timeline.
#[derive(Debug, Deserialize)]
pub(crate) struct TimelineEntry {
    pub(crate) execution_id: Option<ExecutionId>,
    pub(crate) event_type: TimelineEventType,
    pub(crate) content: String,
}

/// More of a text that is being written.
#[derive(Debug, Deserialize)]
pub(crate) struct Chunk {
    pub(crate) execution_id: ExecutionId,
    /// Whether it takes the place of what came before.
    pub(crate) from_start: bool,
    pub(crate) text: String,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    r#type: &'a str,
    event_id: Option<u64>,
    #[serde(borrow)]
    data: &'a RawValue,
}

#[derive(Deserialize)]
struct SessionMoved {
    status: SessionStatus,
}

#[derive(Deserialize)]
struct StageMoved {
    stage_id: StageId,
    status: WorkStatus,
}

#[derive(Deserialize)]
struct ExecutionMoved {
    execution_id: ExecutionId,
    status: WorkStatus,
}

impl Message {
    /// Reads a message.
    pub(super) fn parse(json: String) -> serde_json::Result<Self> {
        let Envelope { r#type, event_id, data } = serde_json::from_str(&json)?;
        let news = News::parse(r#type, data.get()).unwrap_or(News::Other);
        Ok(Self { event_id, news, json })
    }

    /// Whether the session has ended with this.
    pub(crate) fn is_the_end(&self) -> bool {
        matches!(self.news, News::Session(status) if status.is_terminal())
    }
}

impl News {
    fn parse(message_type: &str, data: &str) -> Option<Self> {
        Some(match message_type {
            "session.status" => Self::Session(serde_json::from_str::<SessionMoved>(data).ok()?.status),
            "stage.status" => {
                let StageMoved { stage_id: id, status } = serde_json::from_str(data).ok()?;
                Self::Stage(Moved { id, status })
            }
            "execution.status" => {
                let ExecutionMoved { execution_id: id, status } = serde_json::from_str(data).ok()?;
                Self::Execution(Moved { id, status })
            }
            "timeline_event.completed" => Self::Entry(serde_json::from_str(data).ok()?),
            "stream.chunk" => Self::Chunk(serde_json::from_str(data).ok()?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_passed_over() {
        for (message_type, data) in [
            ("session.blessed", r#"{"by":"nobody"}"#),
            ("session.status", r#"{"status":"enlightened"}"#),
            ("timeline_event.completed", r#"{"event_type":"song","content":"la"}"#),
        ] {
            let json = format!(r#"{{"type":"{message_type}","event_id":3,"data":{data}}}"#);
            let message = Message::parse(json.clone()).unwrap();
            assert!(matches!(message.news, News::Other), "{message:?}");
            assert_eq!((message.event_id, message.json), (Some(3), json));
        }
    }

    #[test]
    fn a_session_ends_with_a_status_that_is_final() {
        for (status, ends) in
            [("in_progress", false), ("cancelling", false), ("completed", true), ("failed", true)]
        {
            let json = format!(r#"{{"type":"session.status","event_id":1,"data":{{"status":"{status}"}}}}"#);
            assert_eq!(Message::parse(json).unwrap().is_the_end(), ends, "{status}");
        }
    }
}
