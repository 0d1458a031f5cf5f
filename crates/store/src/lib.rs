//! The record of every investigation, on SQLite or PostgreSQL.
//!
//! [`Store`] is one concrete type with one method for each thing that can be written or read; a method that
//! changes several rows is one transaction. It is the only crate with SQL. The same text runs on both engines
//! wherever they allow it; where they do not, the difference is in `dialect`.
//!
//! Times are passed in, never taken from a clock, so that whatever runs on the store can be repeated exactly.

mod error;
mod load;
mod store;
mod tally;

mod live;
mod signal;

mod connection;
mod dialect;
mod fetch;
mod postgres;
mod row;
mod sql;
mod sqlite;

mod ending;
mod runbook;
mod session;
mod status_change;
mod submission;

mod filter_options;
mod search;
mod session_list;
mod session_sort;

mod lease;
mod queue;

mod execution;
mod refused_move;
mod stage;

mod announcement;
mod interaction;
mod journal;
mod message;
mod note;
mod place;
mod progress;
mod step;
mod timeline;
mod trace;

mod chat;
mod event;
mod firing;
mod retention;
mod token;

pub use chat::{AskOutcome, ChatMessage, Question};
pub use ending::{CancelOutcome, SessionOutcome};
pub use error::StoreError;
pub use event::Event;
pub use execution::{Execution, ExecutionOutcome, NewExecution, Opening};
pub use filter_options::FilterOptions;
pub use firing::{GroupNotice, ResolveOutcome};
pub use interaction::{LlmCall, LlmInteraction, McpInteraction, STOPPED, ToolRun};
pub use journal::{Journal, JournalEntry};
pub use lease::Lease;
pub use live::{ChangedSessions, LiveDelta, LivePart, LivePlace, LiveText, SessionWatch, SessionsWatch};
pub use load::DatabaseLoad;
pub use message::{NewMessage, RecordedMessage};
pub use queue::{ClaimLimit, Claimed, LeaseState, QueueWait};
pub use retention::{RetentionPolicy, Swept};
pub use runbook::NewRunbook;
pub use search::SearchHit;
pub use session::{Session, SessionInput};
pub use session_list::{ListedSession, NotACursor, SessionCursor, SessionFilter, SessionPage};
pub use session_sort::SessionSort;
pub use signal::{CancelSignal, Cancels};
pub use stage::{Stage, StageOutcome};
pub use step::{Happening, Step, StepReceipt};
pub use store::{EngineKind, Store};
pub use submission::{NewSession, QueueLimit, SubmitOutcome};
pub use tally::{CalledModel, CalledServer, Counts, Durations, ModelCalls};
pub use timeline::{NewTimelineEvent, TimelineEvent};
pub use token::{NewToken, Token};
pub use trace::{Callee, TracedCall};
