//! The kinds of recorded interactions: what a model or tool call was made for, and how a model call failed.
//!
//! These values are stored in the journal and decide what is replayed after a restart, so their spelling
//! never changes.

use crate::conversation::reply::ModelFailureKind;
use crate::string_enum::string_enum;

string_enum! {
    /// What a model call was made for.
    pub enum LlmCallKind {
        /// An iteration of an agent loop.
        Iteration = "iteration",
        /// The conclusion that an agent must give after its last iteration.
        ForcedConclusion = "forced_conclusion",
        /// The summary of a long tool result. It is not part of the agent's conversation.
        ToolSummary = "tool_summary",
    }
}

string_enum! {
    /// What an MCP server was called for.
    pub enum ToolRunKind {
        /// A tool call.
        ToolCall = "tool_call",
        /// The retrieval of a server's list of tools.
        ToolList = "tool_list",
    }
}

string_enum! {
    /// Why a recorded model call has no complete reply: every [`ModelFailureKind`], and `stopped`.
    pub enum LlmErrorKind {
        /// See [`ModelFailureKind::RateLimit`].
        RateLimit = "rate_limit",
        /// See [`ModelFailureKind::Overloaded`].
        Overloaded = "overloaded",
        /// See [`ModelFailureKind::Timeout`].
        Timeout = "timeout",
        /// See [`ModelFailureKind::Network`].
        Network = "network",
        /// See [`ModelFailureKind::Credentials`].
        Credentials = "credentials",
        /// See [`ModelFailureKind::InvalidRequest`].
        InvalidRequest = "invalid_request",
        /// See [`ModelFailureKind::ContextTooLong`].
        ContextTooLong = "context_too_long",
        /// See [`ModelFailureKind::ContentFiltered`].
        ContentFiltered = "content_filtered",
        /// See [`ModelFailureKind::EmptyReply`].
        EmptyReply = "empty_reply",
        /// See [`ModelFailureKind::Repetition`].
        Repetition = "repetition",
        /// See [`ModelFailureKind::ProviderBug`].
        ProviderBug = "provider_bug",
        /// The session was stopped while the call was in flight. The run never received an outcome, so the
        /// call is not part of the journal.
        Stopped = "stopped",
    }
}

impl From<ModelFailureKind> for LlmErrorKind {
    fn from(kind: ModelFailureKind) -> Self {
        match kind {
            ModelFailureKind::RateLimit => Self::RateLimit,
            ModelFailureKind::Overloaded => Self::Overloaded,
            ModelFailureKind::Timeout => Self::Timeout,
            ModelFailureKind::Network => Self::Network,
            ModelFailureKind::Credentials => Self::Credentials,
            ModelFailureKind::InvalidRequest => Self::InvalidRequest,
            ModelFailureKind::ContextTooLong => Self::ContextTooLong,
            ModelFailureKind::ContentFiltered => Self::ContentFiltered,
            ModelFailureKind::EmptyReply => Self::EmptyReply,
            ModelFailureKind::Repetition => Self::Repetition,
            ModelFailureKind::ProviderBug => Self::ProviderBug,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_kind_keeps_its_spelling() {
        for kind in ModelFailureKind::ALL {
            assert_eq!(LlmErrorKind::from(*kind).as_str(), kind.as_str());
        }
        assert_eq!(LlmErrorKind::ALL.len(), ModelFailureKind::ALL.len() + 1);
    }
}
