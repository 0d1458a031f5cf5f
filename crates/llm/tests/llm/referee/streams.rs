//! Replies that begin, and what becomes of them.

use serde_json::{Value, json};
use tarsy_domain::ModelFailureKind as Kind;

use super::scenario::Outcome::{Answered, BrokenOff, Failed, FailedOnce};
use super::scenario::Scenario;
use super::wire::Wire;

/// Enough words that a fault in the middle comes after some of them on every wire, which all begin differently.
const WORDS: &str = "one two three four five six seven eight nine ten eleven twelve";
const MIDDLE: usize = 6;

pub(crate) fn scenarios(wire: Wire) -> Vec<Scenario> {
    let mut scenarios = vec![
        Scenario::new("plain", [], Answered, 1),
        Scenario::new("empty", [says("")], Failed(Kind::EmptyReply), 4),
        Scenario::new("cut-by-length", [ends(WORDS, "length")], Answered, 1),
        // Slow, but within our patience.
        Scenario::new("slow", [json!({"type": "slow_first_token", "seconds": 0.5})], Answered, 1),
        Scenario::new("held", [json!({"type": "delay", "seconds": 0.5})], Answered, 1),
        // Slower than that.
        Scenario::new("too-slow", [json!({"type": "slow_first_token", "seconds": 30})], Answered, 2),
        Scenario::new("held-too-long", [json!({"type": "delay", "seconds": 6})], Answered, 2),
        // Nothing was given out yet, so the next attempt may begin anew.
        Scenario::new("disconnect-at-once", [fault("disconnect", 0)], Answered, 2),
        Scenario::new("truncate-at-once", [fault("truncate", 0)], Answered, 2),
        Scenario::new("stall-at-once", [fault("stall", 0)], Answered, 2),
        Scenario::new(
            "malformed-at-once",
            [says_much(), fault("malformed", 0)],
            FailedOnce(Kind::ProviderBug),
            2,
        ),
        // Something was given out.
        broken_off("disconnect", Kind::Network),
        broken_off("truncate", Kind::Network),
        broken_off("stall", Kind::Timeout),
        broken_off("malformed", Kind::ProviderBug),
    ];
    if wire != Wire::Responses {
        let filtered = [ends("", "content_filter")];
        scenarios.push(Scenario::new("filtered", filtered, Failed(Kind::ContentFiltered), 1));
    }
    scenarios
}

fn broken_off(kind: &str, failure: Kind) -> Scenario {
    Scenario::new(kind, [says_much(), fault(kind, MIDDLE)], BrokenOff(failure), 2)
}

fn fault(kind: &str, after_chunks: usize) -> Value {
    json!({"type": "stream_fault", "kind": kind, "after_chunks": after_chunks, "stall_seconds": 30})
}

/// A reply with this ending rather than the usual one.
fn ends(text: &str, reason: &str) -> Value {
    json!({"type": "reply", "text": text, "finish_reason": reason, "times": null})
}

/// So much that the referee is still writing when we hang up, and notices.
fn says_much() -> Value {
    says(&[WORDS; 10].join(" "))
}

fn says(text: &str) -> Value {
    json!({"type": "reply", "text": text, "times": null})
}
