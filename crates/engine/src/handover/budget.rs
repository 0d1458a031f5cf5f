//! The number of tokens that results of earlier stages may have in a prompt.

use std::sync::Arc;

use tarsy_config::{Config, ResolvedAgent};
use tarsy_domain::{LoopKind, Message, ToolDefinition, prose_tokens};

/// Context window of a model of which nothing is known.
const DEFAULT_WINDOW: u64 = 32_000;
/// Tokens that are reserved for the reply, if the provider has no limit. At most a quarter of the window.
const DEFAULT_REPLY: u64 = 4096;
/// Overhead of a message or a tool: role, name and separators.
const TOKENS_PER_PART: u64 = 4;

/// The size of a prompt without results, and of the window that it must fit into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PromptSize {
    /// Context window of the model.
    pub(crate) window: u64,
    /// Tokens that a reply may have.
    pub(crate) reply: u64,
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
        let provider = config.providers().get(&agent.llm_provider);
        let model = agent.model.as_deref().map(|model| config.model_catalog().lookup(model));
        let window = provider.and_then(|provider| provider.context_window);
        let window = window.or_else(|| model.and_then(|model| model.context_window));
        let window = window.or_else(|| config.context_window(&agent.llm_provider));
        let reply = provider.and_then(|provider| provider.max_output_tokens);
        let loop_kind = agent.iteration_strategy.loop_kind();
        // In the ReAct loop the tools are described in the messages.
        let bound = if loop_kind == LoopKind::FunctionCalling { tools } else { &[] };
        Self {
            window: window.map_or(DEFAULT_WINDOW, u64::from),
            reply: reply.map_or(DEFAULT_REPLY, u64::from),
            opening: opening
                .iter()
                .map(message_tokens)
                .chain(bound.iter().map(|tool| tool_tokens(tool)))
                .sum(),
            loop_kind,
        }
    }

    /// Returns the number of tokens that results may have. An agent with tools gets half of what is left,
    /// because its own tool results must fit too.
    pub(crate) fn tokens_for_results(self) -> usize {
        let reply = self.reply.min(self.window / 4);
        let left = self.window.saturating_sub(reply).saturating_sub(self.opening);
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
        for (window, reply, opening, loop_kind, expected) in [
            (32_000, 4096, 1904, SingleShot, 24_700),
            (32_000, 4096, 1904, React, 13_000),
            (32_000, 4096, 1904, FunctionCalling, 13_000),
            (8000, 4096, 2000, SingleShot, 3800),
            (8000, 500, 2000, SingleShot, 5225),
            (8000, 500, 9000, SingleShot, 0),
            (0, 500, 9000, React, 0),
        ] {
            let size = PromptSize { window, reply, opening, loop_kind };
            assert_eq!(size.tokens_for_results(), expected, "{size:?}");
        }
    }
}
