//! The number of tokens that results of earlier stages may have in a prompt.

use std::sync::Arc;

use tarsy_config::{Config, ResolvedAgent};
use tarsy_domain::{LoopKind, Message, ToolDefinition, prose_tokens};

/// Context window of a model of which nothing is known.
const DEFAULT_WINDOW: u64 = 32_000;
/// Overhead of a message or a tool: role, name and separators.
const TOKENS_PER_PART: u64 = 4;

/// The size of a prompt without results, and of the window that it must fit into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PromptSize {
    /// Context window of the model.
    pub(crate) window: u64,
    /// Tokens of the opening messages and the tools.
    pub(crate) opening: u64,
    /// The loop of the agent.
    pub(crate) loop_kind: LoopKind,
}

impl PromptSize {
    /// Measures the opening of an agent without results.
    pub(crate) fn of(
        config: &Config,
        agent: &ResolvedAgent,
        opening: &[Message],
        tools: &[Arc<ToolDefinition>],
    ) -> Self {
        let loop_kind = agent.iteration_strategy.loop_kind();
        // In the ReAct loop the tools are described in the messages.
        let bound = if loop_kind == LoopKind::FunctionCalling { tools } else { &[] };
        Self {
            // The same value is part of the recorded setup, so a replay computes the same size.
            window: config.agent_context_window(agent).map_or(DEFAULT_WINDOW, u64::from),
            opening: opening
                .iter()
                .map(message_tokens)
                .chain(bound.iter().map(|tool| tool_tokens(tool)))
                .sum(),
            loop_kind,
        }
    }

    /// Returns the number of tokens that results may have. A quarter of the window is reserved for the reply.
    /// An agent with tools gets half of what is left, because its own tool results must fit too.
    pub(crate) fn tokens_for_results(self) -> usize {
        let left = (self.window - self.window / 4).saturating_sub(self.opening);
        let share = match self.loop_kind {
            LoopKind::SingleShot => left / 100 * 95,
            LoopKind::React | LoopKind::FunctionCalling => left / 2,
        };
        usize::try_from(share).unwrap_or(usize::MAX)
    }
}

fn message_tokens(message: &Message) -> u64 {
    TOKENS_PER_PART + prose_tokens(&message.content)
}

fn tool_tokens(tool: &ToolDefinition) -> u64 {
    TOKENS_PER_PART + prose_tokens(&tool.description) + prose_tokens(&tool.input_schema.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_get_what_the_opening_and_the_reply_leave() {
        use LoopKind::{FunctionCalling, React, SingleShot};
        for (window, opening, loop_kind, expected) in [
            (32_000, 2000, SingleShot, 20_900),
            (32_000, 2000, React, 11_000),
            (32_000, 2000, FunctionCalling, 11_000),
            (8000, 2000, SingleShot, 3800),
            (8000, 9000, SingleShot, 0),
            (0, 9000, React, 0),
        ] {
            let size = PromptSize { window, opening, loop_kind };
            assert_eq!(size.tokens_for_results(), expected, "{size:?}");
        }
    }
}
