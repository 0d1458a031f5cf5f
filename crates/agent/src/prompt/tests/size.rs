//! The size of prompts in tokens, by strategy and profile, and the compact profile.

use std::fmt::Write as _;
use std::sync::Arc;

use tarsy_domain::{IterationStrategy, PromptProfile, ToolDefinition, prose_tokens};

use super::super::*;
use super::{ALERT, bare, full, material, shown};

/// Fourteen tools with schemas as MCP servers for Kubernetes have them.
const TOOLS: &str = include_str!("tools.json");

/// The sizes of one first prompt, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OpeningTokens {
    system: u64,
    /// The list of tools in the system message, or the tools that are bound to the call.
    tools: u64,
    user: u64,
}

fn tools() -> Vec<Arc<ToolDefinition>> {
    serde_json::from_str(TOOLS).unwrap()
}

fn size(strategy: IterationStrategy, prompt_profile: PromptProfile) -> OpeningTokens {
    let tools = tools();
    let input = PromptInput { prompt_profile, tools: &tools, ..bare(strategy, ALERT) };
    let prompt = Prompts::builtin().opening(&input).unwrap().prompt;
    let system = &prompt[0].content;
    let (before, list) = system.split_once("## Tools\n").unwrap_or((system, ""));
    let (list, after) = list.split_once("\n## ").unwrap_or((list, ""));
    let bound = tools.iter().map(|tool| match prompt_profile {
        PromptProfile::Full => serde_json::to_string(tool).unwrap(),
        PromptProfile::Compact => serde_json::to_string(&compact_definition(tool)).unwrap(),
    });
    let bound: u64 = match strategy.loop_kind() {
        LoopKind::FunctionCalling => bound.map(|tool| prose_tokens(&tool)).sum(),
        LoopKind::React | LoopKind::SingleShot => 0,
    };
    OpeningTokens {
        system: prose_tokens(before) + prose_tokens(after),
        tools: prose_tokens(list) + bound,
        user: prose_tokens(&prompt[1].content),
    }
}

#[test]
fn tokens_of_prompts_with_fourteen_tools() {
    let mut table = String::from("strategy                   profile  system  tools  user\n");
    for strategy in IterationStrategy::ALL {
        for profile in PromptProfile::ALL {
            let OpeningTokens { system, tools, user } = size(*strategy, *profile);
            writeln!(table, "{:26} {:8} {system:6} {tools:6} {user:5}", strategy.as_str(), profile.as_str())
                .unwrap();
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn compact_instructions_have_less_than_250_tokens() {
    for strategy in IterationStrategy::ALL {
        let compact = size(*strategy, PromptProfile::Compact);
        assert!(compact.system < 250, "{strategy}: {compact:?}");
        let full = size(*strategy, PromptProfile::Full);
        assert!(compact.tools * 3 <= full.tools * 2, "{strategy}: {compact:?} {full:?}");
    }
}

#[test]
fn compact_openings() {
    for strategy in
        [IterationStrategy::React, IterationStrategy::NativeThinking, IterationStrategy::Synthesis]
    {
        let material = material(strategy);
        let input = PromptInput { prompt_profile: PromptProfile::Compact, ..full(strategy, &material) };
        let prompt = Prompts::builtin().opening(&input).unwrap().prompt;
        insta::assert_snapshot!(format!("compact_{strategy}"), shown(&prompt));
    }
}

#[test]
fn the_first_prompt_of_an_agent_with_tools_ends_with_the_first_move() {
    let tools = tools();
    for (strategy, end) in [
        (IterationStrategy::NativeThinking, "Nothing has been looked at yet. Begin by calling one tool."),
        (
            IterationStrategy::React,
            "Nothing has been looked at yet. Begin by calling one tool. Write `Thought:`, `Action:` and `Action Input:`, then stop.",
        ),
        (
            IterationStrategy::ReactStage,
            "Nothing has been looked at yet. Begin by calling one tool. Write `Thought:`, `Action:` and `Action Input:`, then stop.",
        ),
    ] {
        for profile in PromptProfile::ALL {
            let input = PromptInput { prompt_profile: *profile, tools: &tools, ..bare(strategy, ALERT) };
            let prompt = Prompts::builtin().opening(&input).unwrap().prompt;
            assert!(prompt[1].content.ends_with(end), "{strategy} {profile}: {}", prompt[1].content);
            assert!(!prompt[1].content.contains("## The answer"), "{strategy} {profile}");
            assert!(prompt[0].content.contains("## The answer"), "{strategy} {profile}");
        }
    }
}

#[test]
fn an_override_applies_to_both_profiles() {
    let (name, path) = ("parts/general.md.j2".to_owned(), "prompts/parts/general.md.j2".to_owned());
    let prompts =
        Prompts::with_overrides(&[Template { name, path, source: "You help.".to_owned() }]).unwrap();
    for profile in PromptProfile::ALL {
        let input = PromptInput { prompt_profile: *profile, ..bare(IterationStrategy::React, ALERT) };
        assert!(prompts.opening(&input).unwrap().prompt[0].content.starts_with("You help."), "{profile}");
    }
}
