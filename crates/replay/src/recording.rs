//! A recording: a cassette with the session that it was recorded from.
//!
//! Loading verifies that the session can be replayed: it contains its chain, it has ended, and neither a time limit
//! nor a user ended it.

use std::path::Path;

use serde_json::Value;
use tarsy_config::ResolvedChain;
use tarsy_domain::{
    Cassette, ModelFailureKind, RecordedExecution, RecordedSession, SessionStatus, WorkStatus,
};
use tarsy_llm::{CassetteError, load_cassette};
use thiserror::Error;

/// A session that can be replayed.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The model replies.
    pub cassette: Cassette,
    /// The rest of the session.
    pub session: RecordedSession,
    /// The chain of the session.
    pub chain: ResolvedChain,
}

/// The reason why a file cannot be replayed.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// The file is not a valid cassette.
    #[error("{path}: {problem}")]
    InvalidCassette {
        /// The file.
        path: String,
        /// The problem.
        problem: String,
    },
    /// The cassette contains model replies only.
    #[error(
        "{path} is a cassette without a session: the `replay` provider can play it, but it cannot be replayed"
    )]
    NoSession {
        /// The file.
        path: String,
    },
    /// The session is invalid.
    #[error("{path}: session.{field}: {problem}")]
    InvalidSession {
        /// The file.
        path: String,
        /// The path of the field within the session.
        field: String,
        /// The problem.
        problem: String,
    },
    /// The session had not ended.
    #[error("{path}: the session was {status} when it was exported; export it again after it has ended")]
    NotEnded {
        /// The file.
        path: String,
        /// The status at the time of the export.
        status: SessionStatus,
    },
    /// A timeout or a user ended the session, which is not reproducible.
    #[error(
        "{path}: {subject} {cause}, which a replay cannot reproduce; sessions that were cancelled or timed out cannot be replayed"
    )]
    Interrupted {
        /// The file.
        path: String,
        /// The session or the agent.
        subject: String,
        /// How it was ended.
        cause: &'static str,
    },
}

impl Recording {
    /// Reads a file and verifies that it can be replayed.
    pub fn load(path: &Path) -> Result<Self, RecordingError> {
        let shown = path.display().to_string();
        let cassette = load_cassette(path).map_err(|error| invalid_cassette(&shown, &error))?;
        let Some(session) = &cassette.session else { return Err(RecordingError::NoSession { path: shown }) };
        let session: RecordedSession = deserialize(session, &shown, "")?;
        let chain = deserialize(&session.chain, &shown, "chain.")?;
        let recording = Self { cassette, session, chain };
        recording.check(&shown)?;
        Ok(recording)
    }

    fn check(&self, path: &str) -> Result<(), RecordingError> {
        let path = path.to_owned();
        let status = self.session.outcome.status;
        let interrupted =
            |subject: String, cause| Err(RecordingError::Interrupted { path: path.clone(), subject, cause });
        match status {
            SessionStatus::Pending | SessionStatus::InProgress | SessionStatus::Cancelling => {
                return Err(RecordingError::NotEnded { path, status });
            }
            SessionStatus::Cancelled => return interrupted("the session".to_owned(), "was cancelled"),
            SessionStatus::TimedOut => return interrupted("the session".to_owned(), "timed out"),
            SessionStatus::Completed | SessionStatus::CompletedWithErrors | SessionStatus::Failed => {}
        }
        let execution = self.session.outcome.executions.iter().find(|one| self.was_interrupted(one));
        execution.map_or(Ok(()), |one| interrupted(format!("agent `{}`", one.agent), "timed out"))
    }

    /// Returns whether a time limit or a user ended an execution. An execution that gave up because its model timed
    /// out can be replayed, because the timeout is on the cassette.
    fn was_interrupted(&self, execution: &RecordedExecution) -> bool {
        let last_turn = self.cassette.agents.get(&execution.agent).and_then(|turns| turns.last());
        let last_failure = last_turn.and_then(|turn| turn.error.as_ref()).map(|failure| failure.kind);
        match execution.status {
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

fn invalid_cassette(path: &str, error: &CassetteError) -> RecordingError {
    let problem = match error {
        CassetteError::File { source, .. } => source.to_string(),
        CassetteError::Format { problem, .. } => problem.clone(),
    };
    RecordingError::InvalidCassette { path: path.to_owned(), problem }
}

fn deserialize<T: serde::de::DeserializeOwned>(
    value: &Value,
    path: &str,
    prefix: &str,
) -> Result<T, RecordingError> {
    serde_path_to_error::deserialize(value).map_err(|error| RecordingError::InvalidSession {
        path: path.to_owned(),
        field: format!("{prefix}{}", error.path()),
        problem: error.inner().to_string(),
    })
}

#[cfg(test)]
mod tests;
