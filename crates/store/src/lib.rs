//! The record of every investigation, on SQLite or PostgreSQL.
//!
//! [`Store`] is one concrete type with one method for each operation; a method that changes several rows is
//! one transaction. It is the only crate with SQL. Both engines run the same statements wherever possible;
//! the differences are in `db::dialect`.
//!
//! Times are parameters, never read from a clock, so that tests and replays are deterministic.

mod error;
mod store;

mod db;
mod json;

mod session;

mod queue;
mod step;
mod work;

mod live;

mod chat;
mod token;

pub use chat::{AskOutcome, ChatMessage, ChatQuestion};
pub use db::load::DatabaseLoad;
pub use error::StoreError;
pub use json::{decode_json, encode_json};
pub use live::event::{CorruptEvent, StoredEvent};
pub use live::signal::{CancelSignal, CancelSubscription};
pub use live::{
    ChangedSessions, LiveDelta, LiveText, LiveTextScope, SessionListSubscription, SessionSubscription,
};
pub use queue::lease::Lease;
pub use queue::{ClaimLimit, Claimed, LeaseState, QueueBacklog};
pub use session::ending::{CancelOutcome, SessionOutcome};
pub use session::filter_options::FilterOptions;
pub use session::firing::{GroupNotice, ResolveOutcome};
pub use session::list::{InvalidCursor, ListedSession, SessionCursor, SessionFilter, SessionPage};
pub use session::numbered_page::{NumberedPage, PageRange};
pub use session::retention::{RetentionPolicy, SweepResult};
pub use session::runbook::NewRunbook;
pub use session::search::SearchHit;
pub use session::sort::{SessionOrder, SessionSort, SessionSortKey, SortDirection};
pub use session::submission::{NewSession, QueueLimit, SubmitOutcome};
pub use session::{Session, SessionInput};
pub use step::call_counts::{CallCounts, CalledModel, CalledServer, Durations, ModelCalls};
pub use step::interaction::{LlmCall, LlmInteraction, McpInteraction, ToolRun};
pub use step::journal::{Journal, JournalEntry};
pub use step::last_failure::RecordedFailure;
pub use step::llm_response::LlmResponse;
pub use step::message::{NewMessage, RecordedMessage};
pub use step::recorded_result::RecordedResult;
pub use step::timeline::{NewTimelineEvent, TimelineEvent};
pub use step::trace::{Callee, TracedCall};
pub use step::{Step, StepPayload, StepReceipt};
pub use store::{EngineKind, Store, StoreOptions};
pub use token::{ApiToken, NewApiToken};
pub use work::execution::{Execution, ExecutionOpening, ExecutionOutcome, NewExecution};
pub use work::outline::{ExecutionOutline, SessionOutline, StageOutline};
pub use work::stage::{Stage, StageOutcome};
