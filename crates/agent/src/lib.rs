//! What an agent does next, as a function of what has happened so far.
//!
//! Nothing here does I/O, reads a clock, waits or rolls dice: it is told what happened and says what it wants.

pub mod react;

mod escape;

mod context;
mod prompt;
mod run;

pub use context::{
    AgentResult, FormattedResults, StageResult, TrailEntry, format_earlier_stages, format_for_strategy,
    format_for_synthesis, format_investigation,
};
pub use prompt::{
    ChatExchange, ChatTask, ExecutiveSummaryInput, PromptAgent, PromptAlert, PromptInput, PromptServer,
    Prompts, Rendered, StagePosition, Task, Template, TemplateError, TemplateErrors, ToolSummaryInput,
    UnavailableServer, UnknownTemplate,
};
pub use run::{
    AgentRun, Ask, AtLimit, ConclusionCause, FailureCause, Happened, Limits, ModelAsk, Purpose, Record,
    RunOutcome, Setup, TimelineEntry, ToolMetadata, Unexpected,
};
