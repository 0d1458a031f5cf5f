//! Streams with injected faults.

use serde_json::{Value, json};
use tarsy_domain::ModelFailureKind as Kind;

use super::scenario::Outcome::{Answered, BrokenOff, Failed, FailedOnce};
use super::scenario::Scenario;
use super::wire::Wire;

/// Long enough that a fault in the middle comes after some text on every wire.
const WORDS: &str = "one two three four five six seven eight nine ten eleven twelve";
const MIDDLE: usize = 6;

pub(crate) fn scenarios(wire: Wire) -> Vec<Scenario> {
    let mut scenarios = vec![
        Scenario::new("plain", [], Answered, 1),
        Scenario::new("empty", [says("")], Failed(Kind::EmptyReply), 4),
        Scenario::new("cut-by-length", [ends(WORDS, "length")], Answered, 1),
        // Slow, but within the timeouts.
        Scenario::new("slow", [json!({"type": "slow_first_token", "seconds": 0.5})], Answered, 1),
        Scenario::new("held", [json!({"type": "delay", "seconds": 0.5})], Answered, 1),
        // Slower than the timeouts.
        Scenario::new("too-slow", [json!({"type": "slow_first_token", "seconds": 30})], Answered, 2),
        Scenario::new("held-too-long", [json!({"type": "delay", "seconds": 6})], Answered, 2),
        // Nothing was yielded yet, so the call may be retried.
        Scenario::new("disconnect-at-once", [fault("disconnect", 0)], Answered, 2),
        Scenario::new("truncate-at-once", [fault("truncate", 0)], Answered, 2),
        Scenario::new("stall-at-once", [fault("stall", 0)], Answered, 2),
        Scenario::new(
            "malformed-at-once",
            [long_reply(), fault("malformed", 0)],
            FailedOnce(Kind::ProviderBug),
            2,
        ),
        // Some text was yielded.
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
    Scenario::new(kind, [long_reply(), fault(kind, MIDDLE)], BrokenOff(failure), 2)
}

fn fault(kind: &str, after_chunks: usize) -> Value {
    json!({"type": "stream_fault", "kind": kind, "after_chunks": after_chunks, "stall_seconds": 30})
}

/// Returns a reply with the given finish reason.
fn ends(text: &str, reason: &str) -> Value {
    json!({"type": "reply", "text": text, "finish_reason": reason, "times": null})
}

/// Returns a reply so long that the server is still writing when we close the connection, and detects it.
fn long_reply() -> Value {
    says(&[WORDS; 10].join(" "))
}

fn says(text: &str) -> Value {
    json!({"type": "reply", "text": text, "times": null})
}
