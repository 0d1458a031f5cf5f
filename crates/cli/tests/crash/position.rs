//! The position of a request within its session, derived from the request alone.

use tarsy_testkit::ScriptedRequest;

use crate::script::mark_of;

/// The position of a request. A request in a later phase uses the replies of earlier phases; within a lane, a deeper request
/// uses the replies of the others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RequestPosition {
    pub(crate) mark: String,
    pub(crate) phase: u32,
    /// The agent, among those that run in parallel.
    pub(crate) lane: String,
    pub(crate) depth: usize,
}

impl RequestPosition {
    pub(crate) fn of(request: &ScriptedRequest) -> Self {
        // The summary of a result is requested between two turns.
        let (lane, depth) = match request.model.as_str() {
            "digests" => ("logs", 1),
            model => (model, 2 * request.results()),
        };
        Self { mark: mark_of(request), phase: phase_of(lane), lane: lane.to_owned(), depth }
    }
}

fn phase_of(lane: &str) -> u32 {
    match lane {
        "alone" | "first" | "a" | "b" | "c" | "reacts" | "restarts" | "logs" | "locals" => 1,
        "second" | "merges" => 2,
        "third" => 3,
        "sums-up" => 4,
        "chats" => 5,
        _ => panic!("unknown lane {lane}"),
    }
}
