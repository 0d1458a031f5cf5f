//! A recording: a cassette with the session that it was recorded from.
//!
//! What is read here was checked as far as it can be: it names its chain, it came to an end, and no clock decided which.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use tarsy_config::ResolvedChain;
use tarsy_domain::{ModelFailureKind, SessionStatus, WorkStatus};
use tarsy_llm::{Cassette, CassetteError};
use thiserror::Error;

use crate::outcome::{ExecutionOutcome, Outcome};

/// A session that can be run again.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// What its models said.
    pub cassette: Cassette,
    /// The rest of it.
    pub session: RecordedSession,
    /// The chain that investigated.
    pub chain: ResolvedChain,
}

/// All of a session that its models did not say.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedSession {
    /// The type of the alert.
    pub alert_type: String,
    /// What it says.
    pub alert: String,
    /// The text of the runbook.
    pub runbook: Option<String>,
    /// The alert's own choice of MCP servers.
    pub mcp_selection: Option<Value>,
    /// The chain as it was when the alert came.
    pub chain: Value,
    /// Prompt templates in place of built-in ones.
    #[serde(default)]
    pub prompts: BTreeMap<String, String>,
    /// What agents are bound by, by the names of their providers.
    pub providers: BTreeMap<String, RecordedProvider>,
    /// The MCP servers.
    pub tools: BTreeMap<String, RecordedServer>,
    /// How many questions were asked in the chat.
    pub questions: usize,
    /// What came of it.
    pub outcome: Outcome,
}

/// What the agents of a provider are bound by.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedProvider {
    /// Tokens that its model can read and write in one call.
    pub context_window: Option<u32>,
    /// A tool result longer than this is cut.
    pub max_tool_result_tokens: Option<u32>,
}

/// An MCP server.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedServer {
    /// What agents are told about it.
    pub instructions: Option<String>,
    /// How long results are made short.
    pub summarization: Option<RecordedSummarization>,
    /// Its tools.
    pub definitions: Vec<RecordedTool>,
    /// What it was asked and answered.
    pub calls: Vec<RecordedCall>,
}

/// How long results are made short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedSummarization {
    /// Whether a model is asked.
    pub enabled: bool,
    /// Longer ones are.
    pub size_threshold_tokens: u32,
    /// How long a summary may be.
    pub summary_max_token_limit: u32,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedTool {
    /// Its name at its server.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedCall {
    /// Who called, `stage/agent`.
    pub agent: String,
    /// The tool's name at its server.
    pub tool: String,
    /// The arguments, or the text that the model wrote in their place.
    pub arguments: Value,
    /// What came back.
    pub result: String,
    /// What kind of failure it was, if it was one.
    pub error: Option<String>,
    /// How long it took.
    pub duration_ms: u64,
}

/// Why a file cannot be run again.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// It is no cassette.
    #[error("{}: {}", path, problem)]
    NoCassette {
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// It holds what models said, and nothing else.
    #[error("{path} is a cassette without a session: what its models said can be played, but not run again")]
    NoSession {
        /// The file.
        path: String,
    },
    /// The session in it cannot be read.
    #[error("{path}: session.{place}: {problem}")]
    Unreadable {
        /// The file.
        path: String,
        /// Where in the session.
        place: String,
        /// What is wrong there.
        problem: String,
    },
    /// The session was not over.
    #[error(
        "{path}: the session had not ended when it was exported, it was {status}; export it again when it has"
    )]
    NotOver {
        /// The file.
        path: String,
        /// Where it stood.
        status: SessionStatus,
    },
    /// A clock or a person ended it, and neither can be run again.
    #[error(
        "{path}: {who} was {how}. When that happens is not decided by what models and tools say, so a replay cannot \
         come to the same end; only a session that came to an end by itself can be run again"
    )]
    CutShort {
        /// The file.
        path: String,
        /// What was ended.
        who: String,
        /// By whom.
        how: &'static str,
    },
}

impl Recording {
    /// Reads a file, and makes sure that it can be run again.
    pub fn load(path: &Path) -> Result<Self, RecordingError> {
        let shown = path.display().to_string();
        let cassette = Cassette::load(path).map_err(|error| no_cassette(&shown, &error))?;
        let Some(session) = &cassette.session else { return Err(RecordingError::NoSession { path: shown }) };
        let session: RecordedSession = read(session, &shown, "")?;
        let chain = read(&session.chain, &shown, "chain.")?;
        let recording = Self { cassette, session, chain };
        recording.check(&shown)?;
        Ok(recording)
    }

    fn check(&self, path: &str) -> Result<(), RecordingError> {
        let path = path.to_owned();
        let status = self.session.outcome.status;
        let session = || "the session".to_owned();
        match status {
            SessionStatus::Pending | SessionStatus::InProgress | SessionStatus::Cancelling => {
                return Err(RecordingError::NotOver { path, status });
            }
            SessionStatus::Cancelled => {
                return Err(RecordingError::CutShort { path, who: session(), how: "cancelled" });
            }
            SessionStatus::TimedOut => {
                return Err(RecordingError::CutShort {
                    path,
                    who: session(),
                    how: "stopped by a limit of time",
                });
            }
            SessionStatus::Completed | SessionStatus::CompletedWithErrors | SessionStatus::Failed => {}
        }
        let cut_short = self.session.outcome.executions.iter().find(|one| self.was_cut_short(one));
        cut_short.map_or(Ok(()), |one| {
            let who = format!("`{}`", one.agent);
            Err(RecordingError::CutShort { path, who, how: "stopped by a limit of time" })
        })
    }

    /// Whether a clock ended an execution. If its model kept it waiting until it gave up, that is on the cassette.
    fn was_cut_short(&self, one: &ExecutionOutcome) -> bool {
        let last_turn = self.cassette.agents.get(&one.agent).and_then(|turns| turns.last());
        let last_failure = last_turn.and_then(|turn| turn.error.as_ref()).map(|failure| failure.kind);
        match one.status {
            WorkStatus::Cancelled => true,
            WorkStatus::TimedOut => last_failure != Some(ModelFailureKind::Timeout),
            WorkStatus::Pending
            | WorkStatus::Active
            | WorkStatus::Completed
            | WorkStatus::Failed
            | WorkStatus::Skipped => false,
        }
    }
}

fn no_cassette(path: &str, error: &CassetteError) -> RecordingError {
    let problem = match error {
        CassetteError::File { source, .. } => source.to_string(),
        CassetteError::Format { problem, .. } => problem.clone(),
    };
    RecordingError::NoCassette { path: path.to_owned(), problem }
}

fn read<T: serde::de::DeserializeOwned>(
    value: &Value,
    path: &str,
    within: &str,
) -> Result<T, RecordingError> {
    serde_path_to_error::deserialize(value).map_err(|error| RecordingError::Unreadable {
        path: path.to_owned(),
        place: format!("{within}{}", error.path()),
        problem: error.inner().to_string(),
    })
}

#[cfg(test)]
mod tests;
