//! What an agent does next, as a function of what has happened so far.
//!
//! Nothing here does I/O, reads a clock, waits or rolls dice: it is told what happened and says what it wants.

pub mod react;

mod escape;

mod context;
mod prompt;
mod run;

pub use context::{
    AgentResult, HandedOn, StageResult, TrailEntry, for_reader, format_earlier_stages, format_for_synthesis,
    format_investigation,
};
pub use prompt::{
    AgentNotes, Alert, Briefing, Chat, Exchange, ExecutiveSummaryBriefing, Prompts, Rendered, ServerNotes,
    StagePosition, Task, Template, TemplateFault, TemplateFaults, ToolSummaryBriefing, UnavailableServer,
    UnknownTemplate,
};
pub use run::{
    AgentRun, Ask, AtLimit, Conclusion, FailureCause, Happened, Limits, ModelAsk, Outcome, Purpose, Record,
    Setup, TimelineEntry, ToolMetadata, Unexpected,
};
