//! The record of every investigation, on SQLite or PostgreSQL.
//!
//! [`Store`] is one concrete type with one method for each thing that can be written or read; a method that
//! changes several rows is one transaction. It is the only crate with SQL. The same text runs on both engines
//! wherever they allow it; where they do not, the difference is in `dialect`.
//!
//! Times are passed in, never taken from a clock, so that whatever runs on the store can be repeated exactly.

mod error;
mod store;

mod connection;
mod dialect;
mod postgres;
mod row;
mod sql;
mod sqlite;

mod chat;
mod event;
mod execution;
mod interaction;
mod message;
mod progress;
mod queue;
mod refused_move;
mod retention;
mod search;
mod session;
mod session_list;
mod stage;
mod step;
mod timeline;

pub use chat::ChatMessage;
pub use error::StoreError;
pub use event::Event;
pub use execution::{Execution, ExecutionOutcome, NewExecution};
pub use interaction::{LlmCall, LlmInteraction, McpInteraction, ToolRun};
pub use message::{Message, NewMessage};
pub use queue::{ClaimLimit, Claimed, Lease, LeaseState};
pub use retention::{RetentionPolicy, Swept};
pub use search::SearchHit;
pub use session::{CancelOutcome, NewSession, Session, SessionInput, SessionOutcome, SubmitOutcome};
pub use session_list::{ListedSession, NotACursor, SessionCursor, SessionFilter, SessionPage, SessionSort};
pub use stage::{Stage, StageOutcome};
pub use step::{Happening, Step, StepReceipt};
pub use store::{EngineKind, Store};
pub use timeline::{NewTimelineEvent, TimelineEvent};
