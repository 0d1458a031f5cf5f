//! Tests what is shortened first, and that the result fits.

use tarsy_agent::{AgentResult, CollectedResult, ResultId, StageResult, TrailEntry};
use tarsy_domain::{IterationStrategy, ToolStatus, WorkStatus};

use super::*;

/// Returns lines that cannot be collapsed.
fn log(bytes: usize) -> String {
    let lines = (0..).map(|n: u64| format!("{n} {:x}\n", n.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
    let mut text: String = lines.take(bytes / 18 + 1).collect();
    text.truncate(bytes);
    text
}

fn step(event_type: TimelineEventType, content: &str) -> TrailEntry {
    TrailEntry { event_type, content: content.to_owned(), tool: None, status: None, result: None }
}

fn result(agent: u64, number: u32, bytes: usize) -> TrailEntry {
    let id = ResultId { stage: 1, agent, number };
    TrailEntry {
        tool: Some("k8s.log".to_owned()),
        status: Some(ToolStatus::Ok),
        result: Some(CollectedResult { id, arguments: "{}".to_owned(), bytes: bytes as u64 }),
        ..step(TimelineEventType::ToolResult, &log(bytes))
    }
}

/// Returns an agent with results of these sizes in bytes, and an analysis of another.
fn agent(number: u64, results: &[usize], analysis: usize) -> AgentResult {
    let mut trail = Vec::new();
    for (index, bytes) in (1..).zip(results) {
        trail.push(step(TimelineEventType::LlmThinking, &"I think about it. ".repeat(20)));
        trail.push(step(TimelineEventType::ToolCall, "k8s.log {}"));
        trail.push(result(number, index, *bytes));
    }
    AgentResult {
        name: format!("agent-{number}"),
        provider: "p".to_owned(),
        strategy: IterationStrategy::React,
        status: WorkStatus::Completed,
        analysis: Some(log(analysis)),
        error: None,
        trail,
    }
}

fn stage(agents: Vec<AgentResult>) -> StageResult {
    let name = "collect".to_owned();
    StageResult { name, status: WorkStatus::Completed, reason: None, agents, synthesis: None }
}

fn concluding(agents: Vec<AgentResult>) -> Handover {
    Handover::for_stage(IterationStrategy::Synthesis, vec![stage(agents)])
}

#[test]
fn finds_the_largest_even_limit() {
    for (sizes, total, expected) in [
        (&[][..], 0, usize::MAX),
        (&[10, 20], 30, usize::MAX),
        (&[10, 20], 29, 19),
        (&[100, 100, 10], 110, 50),
        (&[100, 100, 100], 9, 3),
        (&[5], 0, 0),
    ] {
        assert_eq!(even_limit(sizes, total), expected, "{sizes:?} {total}");
    }
}

#[test]
fn what_fits_is_not_changed() {
    let handover = concluding(vec![agent(1, &[400, 900], 200)]);
    let full = format_handover(&handover);
    assert_eq!(fit(handover, 10_000), full);
}

#[test]
fn shortens_in_the_documented_order() {
    let agents = || vec![agent(1, &[4000, 300, 8000], 600), agent(2, &[6000], 600)];
    let reasoning = "I think about it.";
    for (budget, expected, missing) in [
        // The two largest results are shortened; the small one and all reasoning stay.
        (
            6000,
            vec![reasoning, "of 8000 bytes of the result s1.a1.r3", "of 6000 bytes of the result s1.a2.r1"],
            vec!["Left out"],
        ),
        // The reasoning is left out.
        (
            1350,
            vec!["The reasoning of the agents was left out.", "of the result s1.a1.r1"],
            vec![reasoning, "[Left out"],
        ),
        // The oldest results become lines.
        (
            950,
            vec!["[Left out to fit: the result s1.a1.r1, 4000 bytes.]"],
            vec![reasoning, "analysis are shown"],
        ),
        // Only the analyses are left.
        (560, vec!["All tool calls and their results were left out."], vec!["k8s.log", "analysis are shown"]),
        // Even they are shortened.
        (330, vec!["of 600 bytes of this analysis are shown."], vec!["k8s.log"]),
    ] {
        let handover = concluding(agents());
        let text = fit(handover, budget);
        let text = text.as_str();
        for part in expected {
            assert!(text.contains(part), "{budget}: {part}\n{text}");
        }
        for part in missing {
            assert!(!text.contains(part), "{budget}: {part}\n{text}");
        }
    }
}

#[test]
fn the_result_fits_whatever_its_shape() {
    for agents in [1usize, 2, 5] {
        for results in [&[100; 40][..], &[50_000], &[3, 20_000, 900, 20_000], &[]] {
            for budget in [1500, 2500, 5000, 20_000] {
                let made = (1..=agents).map(|number| agent(number as u64, results, 900)).collect();
                let handover = concluding(made);
                let mut shortened = handover.clone();
                for shortening in SHORTENINGS {
                    if size(&shortened) > budget {
                        shortening(&mut shortened, budget);
                    }
                }
                let actual = size(&shortened);
                assert!(actual <= budget, "{agents} agents, {results:?}: {actual} > {budget}");
            }
        }
    }
}

#[test]
fn a_list_of_results_is_shortened_before_the_analyses() {
    let agents = vec![agent(1, &[100; 50], 300)];
    let handover = Handover::for_stage(IterationStrategy::NativeThinking, vec![stage(agents)]);
    let text = fit(handover, 400);
    assert!(text.as_str().contains("Not listed: the first "), "{}", text.as_str());
    assert!(!text.as_str().contains("analysis are shown"), "{}", text.as_str());
}
