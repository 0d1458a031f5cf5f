//! The agent core: computes the next step of an agent from everything that has happened so far.
//!
//! It is pure. It does no I/O, reads no clock, never waits and uses no randomness; a driver does the work and
//! applies the results.

pub mod react;

mod escape;

mod context;
mod prompt;
mod run;

pub use context::{
    AgentResult, CollectedResult, FormattedResults, Handover, ResultAccess, ResultId, StageResult,
    TrailEntry, collected_results, format_for_strategy, format_handover, format_investigation,
};
pub use prompt::{
    ChatExchange, ChatTask, ExecutiveSummaryInput, PromptAgent, PromptAlert, PromptInput, PromptServer,
    Prompts, Rendered, StagePosition, Task, Template, TemplateError, TemplateErrors, ToolSummaryInput,
    UnavailableServer, UnknownTemplate,
};
pub use run::{
    AgentRun, Ask, AtLimit, ConclusionCause, FailureCause, Happened, Limits, ModelAsk, Purpose, Record,
    RunOutcome, RunRules, Setup, TimelineEntry, ToolMetadata, Unexpected,
};
