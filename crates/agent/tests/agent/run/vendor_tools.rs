//! Timeline entries for tools that the model vendor runs.

use tarsy_agent::{AgentRun, Happened};
use tarsy_domain::IterationStrategy::{NativeThinking, React, SynthesisNativeThinking};
use tarsy_domain::{CodeExecution, Grounding, GroundingSource, ModelReply, TimelineEventType};

use super::script::{reply, setup};

fn with_vendor_tools(text: &str) -> Happened {
    let source = |uri: &str, title: &str| GroundingSource { uri: uri.to_owned(), title: title.to_owned() };
    let search = Grounding {
        queries: vec!["OOMKilled".to_owned()],
        sources: vec![source("https://h/oom", "OOM")],
        ..Grounding::default()
    };
    let page = Grounding { sources: vec![source("https://h/page", "Page")], ..Grounding::default() };
    Happened::Replied(ModelReply {
        thinking: "I compute.".to_owned(),
        code_executions: vec![CodeExecution { code: "1+1".to_owned(), result: "2".to_owned() }],
        groundings: vec![search, page],
        ..reply(text)
    })
}

#[test]
fn what_the_vendor_did_for_a_reply_is_in_the_timeline_of_every_loop() {
    let cases = [
        (NativeThinking, "Memory."),
        (SynthesisNativeThinking, "Memory."),
        (React, "Thought: I know.\nFinal Answer: Memory."),
    ];
    for (strategy, text) in cases {
        let mut run = AgentRun::new(setup(strategy));
        let record = run.apply(&with_vendor_tools(text)).unwrap();
        let entries: Vec<_> =
            record.timeline.iter().map(|entry| (entry.event_type, entry.content.as_str())).collect();
        let expected = [
            (TimelineEventType::LlmThinking, "I compute."),
            (TimelineEventType::CodeExecution, "Code:\n1+1\n\nOutput:\n2"),
            (TimelineEventType::GoogleSearchResult, "Query: OOMKilled\n- OOM (https://h/oom)"),
            (TimelineEventType::UrlContextResult, "- Page (https://h/page)"),
        ];
        assert_eq!(entries[..4], expected, "{strategy}");
        let last = entries.last().copied();
        assert_eq!(last, Some((TimelineEventType::FinalAnalysis, "Memory.")), "{strategy}");
    }
}
