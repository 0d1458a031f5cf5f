use tarsy_domain::{InteractionId, TokenUsage, ToolResult};

use super::*;

fn result(call_id: &str, delivered: Option<&str>) -> RecordedResult {
    let deliver = |content: &str| ToolResult {
        call_id: call_id.to_owned(),
        content: content.to_owned(),
        status: ToolStatus::Ok,
        shortened: false,
        usage: TokenUsage::default(),
    };
    RecordedResult {
        execution_id: ExecutionId::new(),
        interaction_id: InteractionId::new(),
        tool_call_id: Some(call_id.to_owned()),
        arguments: None,
        bytes: 1,
        delivered: delivered.map(deliver),
    }
}

#[test]
fn entries_find_their_results_although_both_lists_have_gaps() {
    // Models without call ids of their own repeat them, and tools repeat their texts.
    let recorded = [
        result("c1", Some("3 pods")),
        result("c2", None),
        result("c1", Some("3 pods")),
        result("c3", Some("full")),
    ];
    let mut results: VecDeque<(u32, &RecordedResult)> = (1..).zip(&recorded).collect();
    let mut number_of =
        |call_id: &str, content: &str| take_result(&mut results, call_id, content).map(|(number, _)| number);
    assert_eq!(number_of("c1", "3 pods"), Some(1));
    assert_eq!(number_of("c9", "unknown tool"), None, "the call was rejected");
    assert_eq!(number_of("c1", "3 pods"), Some(3), "the second result was never delivered");
    assert_eq!(number_of("c3", "full"), Some(4));
}
