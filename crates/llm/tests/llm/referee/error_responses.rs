//! Error responses: every status that the server can inject.

use serde_json::json;
use tarsy_domain::ModelFailureKind as Kind;

use super::scenario::Outcome::{Answered, Failed};
use super::scenario::Scenario;
use super::wire::Wire;

/// Returns the scenarios: transient errors that occur once, which a retry overcomes, and permanently, which
/// it does not; permanent errors; and requested delays.
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

/// Transient errors.
fn passing(wire: Wire) -> [(u16, Kind); 8] {
    // Anthropic has one name for all server errors, which takes precedence over the status.
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

/// Permanent errors.
fn lasting(wire: Wire) -> Vec<(u16, Kind)> {
    let mut lasting = vec![
        (400, Kind::InvalidRequest),
        (401, Kind::Credentials),
        (403, Kind::Credentials),
        (404, Kind::InvalidRequest),
        (422, Kind::InvalidRequest),
    ];
    // Google has no such responses; the server sends codes for them that mean something else.
    if wire != Wire::Gemini {
        lasting.extend([(402, Kind::Credentials), (413, Kind::ContextTooLong)]);
    }
    lasting
}
