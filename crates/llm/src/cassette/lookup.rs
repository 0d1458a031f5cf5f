//! Finds the recorded turn for a model call.
//!
//! A turn is identified by agent and number, so that a replay keeps no state between calls.

use tarsy_domain::{Cassette, CassetteTurn};

use crate::Tags;

/// Returns the turn for a call, or an explanation of why the cassette has none.
pub(super) fn find_turn<'a>(cassette: &'a Cassette, tags: &Tags) -> Result<&'a CassetteTurn, String> {
    let name = format!("{}/{}", tags.stage, tags.agent);
    let Some(turns) = turns_of(cassette, &name, tags) else {
        let known: Vec<&str> = cassette.agents.keys().map(String::as_str).collect();
        return Err(format!("it has no turns for {name}; it has turns for: {}", known.join(", ")));
    };
    let index = usize::try_from(tags.turn).unwrap_or(usize::MAX).saturating_sub(1);
    turns.get(index).ok_or_else(|| {
        format!("it has {} turns for {name}, but turn {} was requested", turns.len(), tags.turn)
    })
}

/// Selects by chat question first, then by `stage/agent`, `agent` and `*`.
fn turns_of<'a>(cassette: &'a Cassette, name: &str, tags: &Tags) -> Option<&'a Vec<CassetteTurn>> {
    let question = tags.question.as_deref();
    let answer = question.and_then(|text| cassette.questions.iter().find(|question| question.matches(text)));
    let agent_turns = || [name, &tags.agent, "*"].into_iter().find_map(|name| cassette.agents.get(name));
    answer.map(|question| &question.turns).or_else(agent_turns)
}
