//! What there is to tell about an investigation, decided from what its stream says.

use std::collections::BTreeMap;

use tarsy_domain::{ExecutionId, StageId, TimelineEventType, WorkStatus};

use super::line::{Agent, Line, Verb};
use super::report::{count, duration};
use crate::client::{AgentWork, Chunk, Moved, News, SessionView, StageWork, TimelineEntry};

/// How much of a text that is being written is kept: more than a screen is wide.
const TAIL_BYTES: usize = 2_000;

/// What is known of an investigation.
pub(super) struct Narration {
    session: SessionView,
    /// The stage that is at work.
    stage: Option<StageId>,
    /// Who is at work, and on what.
    work: BTreeMap<ExecutionId, String>,
    /// How many tool calls the stage has asked for.
    calls: u64,
}

/// An agent at work.
pub(super) struct AtWork<'a> {
    pub(super) execution_id: ExecutionId,
    pub(super) agent: &'a str,
    /// The end of what it writes, or what it does.
    pub(super) doing: &'a str,
}

impl Narration {
    pub(super) fn new(session: SessionView) -> Self {
        Self { session, stage: None, work: BTreeMap::new(), calls: 0 }
    }

    /// What is investigated.
    pub(super) fn opening(&self) -> Line {
        let row = &self.session.row;
        Line::Opening(format!("{} by the chain {}, session {}", row.alert_type, row.chain_id, row.session_id))
    }

    /// Whether news are about somebody who is not known yet, or about something whose figures are new.
    pub(super) fn lacks(&self, news: &News) -> bool {
        match news {
            News::Execution(moved) => self.agent(moved.id).is_none(),
            News::Entry(TimelineEntry { execution_id: Some(id), .. }) => self.agent(*id).is_none(),
            News::Stage(moved) => moved.status.is_terminal() || self.stage_work(moved.id).is_none(),
            News::Session(_) | News::Entry(_) | News::Chunk(_) | News::Other => false,
        }
    }

    /// Takes in how the session stands now.
    pub(super) fn learn(&mut self, session: SessionView) {
        self.session = session;
    }

    /// What there is to tell after these news.
    pub(super) fn hear(&mut self, news: &News) -> Vec<Line> {
        match news {
            News::Stage(moved) => self.stage_moved(moved).into_iter().collect(),
            News::Execution(moved) => self.execution_moved(moved).into_iter().collect(),
            News::Entry(entry) => self.entry(entry).into_iter().collect(),
            News::Chunk(chunk) => {
                self.write(chunk);
                Vec::new()
            }
            News::Session(_) | News::Other => Vec::new(),
        }
    }

    /// The stage that is at work, and how far it is.
    pub(super) fn progress(&self) -> Option<String> {
        let stage = self.stage_work(self.stage?)?;
        let calls = count(self.calls, "tool call");
        Some(format!("{} ({}), {calls}", stage.name, self.place_of(stage)))
    }

    /// Who is at work.
    pub(super) fn at_work(&self) -> impl Iterator<Item = AtWork<'_>> {
        self.work.iter().filter_map(|(execution_id, doing)| {
            let agent = &self.agent(*execution_id)?.agent_name;
            Some(AtWork { execution_id: *execution_id, agent, doing })
        })
    }

    fn stage_moved(&mut self, moved: &Moved<StageId>) -> Option<Line> {
        let stage = self.stage_work(moved.id)?;
        let name = stage.name.clone();
        if moved.status == WorkStatus::Active {
            let about = format!("({}): {}", self.place_of(stage), stage.agents.join(", "));
            (self.stage, self.calls) = (Some(moved.id), 0);
            return Some(Line::Begun { stage: name, about });
        }
        if !moved.status.is_terminal() {
            return None;
        }
        let took = stage.duration_ms.map(|ms| format!(" after {}", duration(ms))).unwrap_or_default();
        let why = stage.error_message.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        self.stage = self.stage.filter(|current| *current != moved.id);
        Some(Line::Ended { stage: name, status: moved.status, about: format!("{took}{why}") })
    }

    fn execution_moved(&mut self, moved: &Moved<ExecutionId>) -> Option<Line> {
        if moved.status == WorkStatus::Active {
            self.work.insert(moved.id, String::new());
            return None;
        }
        if !moved.status.is_terminal() {
            return None;
        }
        self.work.remove(&moved.id);
        let (number, work) = self.numbered(moved.id)?;
        let why = work.error_message.clone()?;
        let agent = Agent { name: work.agent_name.clone(), number };
        Some(Line::Said { agent, verb: Verb::Fails, text: why })
    }

    fn entry(&mut self, entry: &TimelineEntry) -> Option<Line> {
        let verb = verb(entry.event_type)?;
        self.calls += u64::from(verb == Verb::Calls);
        if let Some(doing) = entry.execution_id.and_then(|id| self.work.get_mut(&id)) {
            *doing = if verb == Verb::Calls { entry.content.clone() } else { String::new() };
        }
        let text = entry.content.clone();
        Some(match entry.execution_id.and_then(|id| self.numbered(id)) {
            Some((number, work)) => {
                Line::Said { agent: Agent { name: work.agent_name.clone(), number }, verb, text }
            }
            None => Line::Remark { verb, text },
        })
    }

    fn write(&mut self, chunk: &Chunk) {
        let Some(doing) = self.work.get_mut(&chunk.execution_id) else { return };
        if chunk.from_start {
            doing.clear();
        }
        doing.push_str(&chunk.text);
        let surplus = doing.len().saturating_sub(TAIL_BYTES);
        doing.drain(..doing.ceil_char_boundary(surplus));
    }

    fn stage_work(&self, id: StageId) -> Option<&StageWork> {
        self.session.stages.iter().find(|stage| stage.stage_id == id)
    }

    fn agent(&self, id: ExecutionId) -> Option<&AgentWork> {
        self.numbered(id).map(|(_, work)| work)
    }

    fn numbered(&self, id: ExecutionId) -> Option<(usize, &AgentWork)> {
        self.session.agents().enumerate().find(|(_, work)| work.execution_id == id)
    }

    fn place_of(&self, stage: &StageWork) -> String {
        let before = self.session.stages.iter().take_while(|other| other.stage_id != stage.stage_id).count();
        format!("stage {} of {}", before + 1, self.session.stages.len())
    }
}

/// How an entry is told. What the report says anyway is not.
fn verb(event_type: TimelineEventType) -> Option<Verb> {
    Some(match event_type {
        TimelineEventType::LlmThinking => Verb::Thinks,
        TimelineEventType::LlmResponse => Verb::Says,
        TimelineEventType::ToolCall => Verb::Calls,
        TimelineEventType::ToolResult => Verb::Gets,
        TimelineEventType::McpToolSummary => Verb::SumsUp,
        TimelineEventType::FinalAnalysis => Verb::Concludes,
        TimelineEventType::ExecutiveSummary => return None,
        TimelineEventType::UserQuestion => Verb::IsAsked,
        TimelineEventType::RoutingDecision => Verb::Decides,
        TimelineEventType::AlertUpdate => Verb::Hears,
        TimelineEventType::Warning => Verb::Warns,
        TimelineEventType::Error => Verb::Fails,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixture::session;
    use super::*;

    const STAGE: &str = "01a1e091-4f01-7082-aa51-081012474902";
    const WORK: &str = "01a1e091-4f01-7082-aa51-081012474903";

    fn execution() -> ExecutionId {
        WORK.parse().unwrap()
    }

    fn stage(status: WorkStatus) -> News {
        News::Stage(Moved { id: STAGE.parse().unwrap(), status })
    }

    fn at_work() -> News {
        News::Execution(Moved { id: execution(), status: WorkStatus::Active })
    }

    fn chunk(from_start: bool, text: &str) -> News {
        News::Chunk(Chunk { execution_id: execution(), from_start, text: text.to_owned() })
    }

    fn entry(event_type: TimelineEventType, content: &str) -> News {
        News::Entry(TimelineEntry {
            execution_id: Some(execution()),
            event_type,
            content: content.to_owned(),
        })
    }

    /// A session with one stage, in which one agent is at work.
    fn narration() -> Narration {
        let work = json!({
            "execution_id": WORK, "agent_name": "Looker", "status": "active", "duration_ms": null, "error_message": null,
            "llm_interactions": 0, "mcp_interactions": 0,
        });
        let stage = json!({
            "stage_id": STAGE, "name": "look", "status": "active", "agents": ["Looker"], "duration_ms": 1_500,
            "error_message": null, "executions": [work],
        });
        Narration::new(session(&json!({ "stages": [stage] })))
    }

    #[test]
    fn a_stage_is_told_when_it_begins_and_ends() {
        let mut narration = narration();
        let begun = narration.hear(&stage(WorkStatus::Active));
        assert_eq!(
            begun,
            [Line::Begun { stage: "look".to_owned(), about: "(stage 1 of 1): Looker".to_owned() }]
        );
        narration.hear(&entry(TimelineEventType::ToolCall, "shop.pods {}"));
        assert_eq!(narration.progress().unwrap(), "look (stage 1 of 1), 1 tool call");
        let ended = narration.hear(&stage(WorkStatus::Completed));
        let about = " after 1.5 s".to_owned();
        assert_eq!(ended, [Line::Ended { stage: "look".to_owned(), status: WorkStatus::Completed, about }]);
        assert_eq!(narration.progress(), None);
    }

    #[test]
    fn what_an_agent_writes_is_seen_until_it_is_told_whole() {
        let mut narration = narration();
        let doing = |narration: &Narration| narration.at_work().map(|work| work.doing.to_owned()).next();
        assert_eq!(doing(&narration), None);
        narration.hear(&at_work());
        for (news, expected) in [
            (chunk(true, "I "), "I "),
            (chunk(false, "think."), "I think."),
            (chunk(true, "Anew."), "Anew."),
            (entry(TimelineEventType::LlmThinking, "Anew."), ""),
            (entry(TimelineEventType::ToolCall, "shop.pods {}"), "shop.pods {}"),
            (entry(TimelineEventType::ToolResult, "none"), ""),
        ] {
            narration.hear(&news);
            assert_eq!(doing(&narration).as_deref(), Some(expected));
        }
    }

    #[test]
    fn of_a_long_text_only_the_end_is_kept() {
        let mut narration = narration();
        narration.hear(&at_work());
        for _ in 0..1_000 {
            narration.hear(&chunk(false, "ä§€"));
        }
        let work = narration.at_work().next().unwrap();
        assert!(work.doing.len() <= TAIL_BYTES && work.doing.ends_with("ä§€"), "{} bytes", work.doing.len());
    }

    #[test]
    fn who_is_not_known_is_asked_for() {
        let known = narration();
        let nobody = Narration::new(session(&json!({})));
        for news in [at_work(), entry(TimelineEventType::LlmThinking, "Hm."), stage(WorkStatus::Active)] {
            assert!(nobody.lacks(&news) && !known.lacks(&news), "{news:?}");
        }
        assert!(known.lacks(&stage(WorkStatus::Completed)), "how long it took is not known");
    }
}
