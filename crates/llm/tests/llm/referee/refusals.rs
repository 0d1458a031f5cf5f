//! Answers that are no streams: every status that the referee has an opinion on.

use serde_json::json;
use tarsy_domain::ModelFailureKind as Kind;

use super::scenario::Outcome::{Answered, Failed};
use super::scenario::Scenario;
use super::wire::Wire;

/// Once each, which a further attempt gets over, and for ever, which it does not.
pub(crate) fn scenarios(wire: Wire) -> Vec<Scenario> {
    let passing = passing(wire).into_iter().flat_map(|(status, kind)| {
        let once = json!({"type": "fail", "status": status, "times": 1});
        let for_ever = json!({"type": "fail", "status": status, "times": null});
        [
            Scenario::new(format!("{status}-once"), [once], Answered, 2),
            Scenario::new(format!("{status}-for-ever"), [for_ever], Failed(kind), 4),
        ]
    });
    let lasting = lasting(wire).into_iter().map(|(status, kind)| {
        let for_ever = json!({"type": "fail", "status": status, "times": null});
        Scenario::new(status.to_string(), [for_ever], Failed(kind), 1)
    });
    let waits = [1.0, 0.4].map(|pause| {
        let busy = json!({"type": "fail", "status": 429, "retry_after": pause, "times": 2});
        Scenario::new(format!("retry-after-{pause}"), [busy], Answered, 3)
    });
    passing.chain(lasting).chain(waits).collect()
}

/// What may go better a little later.
fn passing(wire: Wire) -> [(u16, Kind); 8] {
    // Anthropic has one name for all errors of the server, and that name is believed before the status.
    let late = if wire == Wire::Anthropic { Kind::Overloaded } else { Kind::Timeout };
    [
        (408, late),
        (409, Kind::Overloaded),
        (429, Kind::RateLimit),
        (500, Kind::Overloaded),
        (502, Kind::Overloaded),
        (503, Kind::Overloaded),
        (504, late),
        (529, Kind::Overloaded),
    ]
}

/// What stays wrong.
fn lasting(wire: Wire) -> Vec<(u16, Kind)> {
    let mut lasting = vec![
        (400, Kind::InvalidRequest),
        (401, Kind::Credentials),
        (403, Kind::Credentials),
        (404, Kind::InvalidRequest),
        (422, Kind::InvalidRequest),
    ];
    // Google has no such answers; the referee makes up words for them which mean something else.
    if wire != Wire::Gemini {
        lasting.extend([(402, Kind::Credentials), (413, Kind::ContextTooLong)]);
    }
    lasting
}
