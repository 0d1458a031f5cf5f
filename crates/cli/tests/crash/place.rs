//! Where in its investigation a request stands, told by the request alone.

use tarsy_testkit::Asked;

use crate::script::mark_of;

/// The place of a request. Of two in one session, the one in a later phase builds on the other's answer; so does the
/// deeper one of two in the same lane.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub(crate) mark: String,
    pub(crate) phase: u32,
    /// Who asks, among those who work at the same time.
    pub(crate) lane: String,
    pub(crate) depth: usize,
}

impl Place {
    pub(crate) fn of(asked: &Asked) -> Self {
        // The summary of a result comes between the turn that asked for it and the next.
        let (lane, depth) = match asked.model.as_str() {
            "digests" => ("logs", 1),
            model => (model, 2 * asked.results()),
        };
        Self { mark: mark_of(asked), phase: phase_of(lane), lane: lane.to_owned(), depth }
    }
}

fn phase_of(lane: &str) -> u32 {
    match lane {
        "alone" | "first" | "a" | "b" | "c" | "reacts" | "restarts" | "logs" | "locals" => 1,
        "second" | "merges" => 2,
        "third" => 3,
        "sums-up" => 4,
        "chats" => 5,
        _ => panic!("nobody knows {lane}"),
    }
}
