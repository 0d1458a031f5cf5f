//! A run that is rebuilt from its journal equals the original, for random journals.

use std::num::NonZeroU32;

use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tarsy_agent::{AgentRun, Ask, Happened, RunRules, Setup};
use tarsy_domain::{
    IterationStrategy, Message, ModelFailure, ModelFailureKind, ModelReply, PromptProfile, Role, TokenUsage,
    ToolCall, ToolResult, ToolStatus,
};

use super::script::{limited, tool};

/// Random responses to the requests of a run: a model reply or failure, and a tool result.
#[derive(Debug, Clone)]
struct Chance {
    reply: ModelReply,
    failure: Option<ModelFailure>,
    result: (String, ToolStatus, bool),
}

proptest! {
    #[test]
    fn a_run_rebuilt_from_its_serialized_journal_equals_the_original(
        setup in any_setup(),
        chances in proptest::collection::vec(any_chance(), 1..40),
    ) {
        let mut run = AgentRun::new(setup.clone());
        let mut journal: Vec<Happened> = Vec::new();
        for chance in chances {
            let Some(happened) = happens(&run.next(), chance) else { break };
            let record = run.apply(&happened).unwrap();
            journal.push(happened);
            prop_assert_eq!(&run, &AgentRun::rebuild(round_trip(&setup), &round_trip(&journal)).unwrap());
            let recorded: Vec<Message> = run.recorded_messages().iter().map(|one| Message::clone(one)).collect();
            prop_assert_eq!(&run, &AgentRun::resume(round_trip(&setup), &journal, &recorded));
            prop_assert!(record.messages.len() + record.timeline.len() > 0, "nothing was recorded");
            prop_assert!(every_call_has_its_result(&run));
        }
    }

    #[test]
    fn every_run_ends(setup in any_setup(), chances in proptest::collection::vec(any_chance(), 1..10)) {
        let mut run = AgentRun::new(setup);
        // Iterations, attempts and calls of one turn are bounded, so the number of steps is bounded.
        for chance in chances.iter().cycle().take(200) {
            let Some(happened) = happens(&run.next(), chance.clone()) else { return Ok(()) };
            run.apply(&happened).unwrap();
        }
        prop_assert!(false, "it goes on and on");
    }
}

/// Serializes and deserializes a value.
fn round_trip<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

fn happens(ask: &Ask, chance: Chance) -> Option<Happened> {
    match ask {
        Ask::Model(_) => Some(match chance.failure {
            Some(failure) => Happened::ModelFailed(failure),
            None => Happened::Replied(chance.reply),
        }),
        Ask::Tools(calls) => {
            let (content, status, shortened) = chance.result;
            Some(Happened::ToolReturned(ToolResult {
                shortened,
                call_id: calls[0].id.clone(),
                content,
                status,
                usage: TokenUsage::default(),
            }))
        }
        Ask::Done(_) => None,
    }
}

/// Returns whether every bound call before a model call has its result, in order.
fn every_call_has_its_result(run: &AgentRun) -> bool {
    let Ask::Model(ask) = run.next() else { return true };
    let asked = ask.messages.iter().flat_map(|message| &message.tool_calls).map(|call| &call.id);
    let answered = ask.messages.iter().filter(|message| message.role == Role::Tool);
    asked.eq(answered.filter_map(|message| message.tool_call_id.as_ref()))
}

fn any_setup() -> impl Strategy<Value = Setup> {
    let strategy = proptest::sample::select(IterationStrategy::ALL);
    let window = proptest::option::of(100u64..5_000);
    let rules = (proptest::option::of(1u32..6), any::<bool>(), proptest::option::of(1u32..4));
    (strategy, 1u32..8, proptest::option::of(1u64..5_000), window, rules, any::<bool>()).prop_map(
        |(strategy, limit, budget, window, (failures, request_tool_call, turns), is_compact)| {
            let mut setup = limited(strategy, limit);
            setup.limits.token_budget = budget;
            setup.limits.context_window = window;
            setup.rules = RunRules {
                max_failed_calls: failures.and_then(NonZeroU32::new),
                request_tool_call,
                max_turns_without_news: turns.and_then(NonZeroU32::new),
            };
            setup.prompt_profile = if is_compact { PromptProfile::Compact } else { PromptProfile::Full };
            setup.result_reader = is_compact.then(|| tool("tarsy.read_result"));
            setup
        },
    )
}

fn any_chance() -> impl Strategy<Value = Chance> {
    let failure = proptest::option::weighted(0.2, any_failure());
    let result = (any_content(), proptest::sample::select(ToolStatus::ALL), any::<bool>());
    (any_reply(), failure, result).prop_map(|(reply, failure, result)| Chance { reply, failure, result })
}

fn any_reply() -> impl Strategy<Value = ModelReply> {
    let text = prop_oneof![
        2 => Just(String::new()),
        4 => Just("Thought: pods\nAction: k8s.pods\nAction Input: {\"a\": 1}".to_owned()),
        2 => Just("Action: k8s.nothing\nAction Input: x".to_owned()),
        1 => Just("Final Answer: done".to_owned()),
        2 => "[ -~\n]{0,60}",
    ];
    let calls =
        proptest::collection::vec(proptest::sample::select(vec!["k8s.pods", "k8s.logs", "k8s.nope"]), 0..4);
    let cut_off = proptest::bool::weighted(0.3);
    (text, calls, any::<bool>(), cut_off, 0u64..2_000).prop_map(|(text, names, thinks, cut_off, tokens)| {
        ModelReply {
            text,
            cut_off,
            thinking: if thinks { "hm".to_owned() } else { String::new() },
            tool_calls: (0u8..).zip(names).map(|(number, name)| call(number, name)).collect(),
            provider_state: thinks.then(|| "{}".to_owned()),
            usage: TokenUsage { input_tokens: tokens, output_tokens: tokens / 10, ..TokenUsage::default() },
            ..ModelReply::default()
        }
    })
}

fn call(number: u8, name: &str) -> ToolCall {
    ToolCall {
        id: format!("call-{number}"),
        name: name.to_owned(),
        arguments: "{\"b\":1,\"a\":2}".to_owned(),
    }
}

fn any_failure() -> impl Strategy<Value = ModelFailure> {
    let kind = proptest::sample::select(ModelFailureKind::ALL);
    let failure = (kind, "[a-z]{0,5}", 0u64..300, proptest::option::of(0u64..200_000));
    failure.prop_map(|(kind, partial_text, tokens, retry_after_ms)| ModelFailure {
        retry_after_ms,
        kind,
        message: format!("it was {kind}"),
        partial_text,
        usage: TokenUsage { input_tokens: tokens, ..TokenUsage::default() },
    })
}

fn any_content() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("same".to_owned()),
        "[a-z ]{0,20}",
        (500usize..3_000).prop_map(|length| "x".repeat(length))
    ]
}
