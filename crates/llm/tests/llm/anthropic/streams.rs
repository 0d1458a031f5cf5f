//! Decoding of valid replies.

use serde_json::{Value, json};
use tarsy_domain::{Grounding, GroundingSource, GroundingSupport, ModelReply, TokenUsage, ToolCall};
use tarsy_llm::Origin;

use super::stream::Stream;
use super::{MODEL, reply_to};
use crate::peer::ScriptedResponse;

/// Thinking, redacted thinking, text, more thinking and two calls, in the order that the vendor verifies.
pub(crate) fn interleaved() -> Stream {
    Stream::begin()
        .thinking(0, &["Is it the ", "Knoten?"], ("c2ln", "YTE="))
        .block(1, &json!({ "type": "redacted_thinking", "data": "aGlkZGVu" }), &[])
        .text(2, &["Ich schaue – ", "gleich 🔎."])
        .thinking(3, &["Both places."], ("c2ln", "Yg=="))
        .call(4, "toolu_a", &["", "{\"namespace\": ", "\"pay\\u00f6\", \"n\": 1.0}"])
        .call(5, "toolu_b", &[""])
        .stop("tool_use")
}

/// The same content as it must be sent back.
pub(crate) const INTERLEAVED: &str = concat!(
    r#"[{"type":"thinking","thinking":"Is it the Knoten?","signature":"c2lnYTE="},"#,
    r#"{"type":"redacted_thinking","data":"aGlkZGVu"},"#,
    r#"{"type":"text","text":"Ich schaue – gleich 🔎."},"#,
    r#"{"type":"thinking","thinking":"Both places.","signature":"c2lnYg=="},"#,
    r#"{"type":"tool_use","id":"toolu_a","name":"k8s__pods","input":{"namespace": "pay\u00f6", "n": 1.0},"caller":{"type":"direct"}},"#,
    r#"{"type":"tool_use","id":"toolu_b","name":"k8s__pods","input":{},"caller":{"type":"direct"}}]"#,
);

/// Returns the native blocks from the state of a reply.
fn native(reply: &ModelReply) -> String {
    let state: Box<serde_json::value::RawValue> =
        serde_json::from_str(reply.provider_state.as_deref().unwrap()).unwrap();
    let state: std::collections::HashMap<String, &serde_json::value::RawValue> =
        serde_json::from_str(state.get()).unwrap();
    state["native"].get().to_owned()
}

#[tokio::test]
async fn a_reply_does_not_depend_on_fragmentation() {
    let stream = interleaved();
    for piece in [1, 2, 7, 64, stream.bytes().len()] {
        let assembly = reply_to(ScriptedResponse::stream(stream.bytes(), piece)).await.unwrap();
        assert_eq!(assembly.origin, Some(Origin { provider: "claude".to_owned(), model: MODEL.to_owned() }));
        let reply = assembly.reply;
        assert_eq!(native(&reply), INTERLEAVED);
        let call = |id: &str, arguments: &str| ToolCall {
            id: id.to_owned(),
            name: "k8s.pods".to_owned(),
            arguments: arguments.to_owned(),
        };
        let expected = ModelReply {
            text: "Ich schaue – gleich 🔎.".to_owned(),
            thinking: "Is it the Knoten?\n\nBoth places.".to_owned(),
            tool_calls: vec![
                call("toolu_a", r#"{"namespace": "pay\u00f6", "n": 1.0}"#),
                call("toolu_b", "{}"),
            ],
            usage: TokenUsage {
                input_tokens: 3112,
                output_tokens: 77,
                thinking_tokens: 0,
                cached_tokens: 3000,
            },
            provider_state: reply.provider_state.clone(),
            ..ModelReply::default()
        };
        assert_eq!(reply, expected);
    }
}

#[tokio::test]
async fn searches_and_citations_become_sources_and_are_kept_in_the_state() {
    let page = json!({ "type": "web_search_result", "url": "https://example.com/a", "title": "A", "encrypted_content": "eA==", "page_age": null });
    let citation = json!({ "type": "web_search_result_location", "url": "https://example.com/a", "title": "A", "encrypted_index": "aQ==", "cited_text": "x" });
    let stream = Stream::begin()
        .text(0, &["I search."])
        .block(
            1,
            &json!({ "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {} }),
            &[json!({ "type": "input_json_delta", "partial_json": "{\"query\": \"pod gone\"}" })],
        )
        .block(
            2,
            &json!({ "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [page] }),
            &[],
        )
        .text(3, &[" "])
        .block(
            4,
            &json!({ "citations": [], "type": "text", "text": "" }),
            &[
                json!({ "type": "text_delta", "text": "It is known." }),
                json!({ "type": "citations_delta", "citation": citation }),
            ],
        )
        .block(
            5,
            &json!({ "type": "server_tool_use", "id": "srvtoolu_2", "name": "web_search", "input": {} }),
            &[],
        )
        .stop("pause_turn");
    let reply = reply_to(ScriptedResponse::stream(stream.bytes(), 50)).await.unwrap().reply;
    assert_eq!(reply.text, "I search.\n\n It is known.");
    let expected = Grounding {
        queries: vec!["pod gone".to_owned()],
        sources: vec![GroundingSource { uri: "https://example.com/a".to_owned(), title: "A".to_owned() }],
        supports: vec![GroundingSupport {
            start_index: 12,
            end_index: 24,
            text: "It is known.".to_owned(),
            source_indices: vec![0],
        }],
        search_entry_point_html: String::new(),
    };
    assert_eq!(reply.groundings, [expected]);
    let kinds: Vec<Value> = serde_json::from_str::<Vec<Value>>(&native(&reply))
        .unwrap()
        .iter()
        .map(|block| block["type"].clone())
        .collect();
    assert_eq!(
        kinds,
        ["text", "server_tool_use", "web_search_tool_result", "text"],
        "no blank text, no call without its result"
    );
    assert!(native(&reply).contains(r#""citations":[{"type":"web_search_result_location""#));
    assert!(native(&reply).contains(r#""input":{"query": "pod gone"}"#));
}

#[tokio::test]
async fn unknown_events_and_blocks_are_ignored() {
    let stream = Stream::begin()
        .event("weather_report", &json!({ "sky": null }))
        .raw("data: null\n\ndata: [1]\n\nevent: later\ndata: {\"type\":null}\n\n")
        .event(
            "content_block_delta",
            &json!({ "index": 9, "delta": { "type": "text_delta", "text": "lost" } }),
        )
        .block(0, &json!({ "type": "dream", "depth": 3 }), &[json!({ "type": "dream_delta", "depth": 4 })])
        .block(
            1,
            &json!({ "type": "text", "text": "At " }),
            &[
                json!({ "type": "text_delta", "text": null }),
                json!({ "type": "text_delta", "text": "once." }),
            ],
        )
        .event("message_delta", &json!({ "delta": null, "usage": null }))
        .stop("bored");
    let reply = reply_to(ScriptedResponse::stream(stream.bytes(), 11)).await.unwrap().reply;
    assert_eq!(reply.text, "At once.");
    assert_eq!(native(&reply), r#"[{"type":"dream","depth":3},{"type":"text","text":"At once."}]"#);
}

#[tokio::test]
async fn a_reply_at_the_output_limit_is_returned() {
    let stream = Stream::begin()
        .text(0, &["Half an ans"])
        .block(
            1,
            &json!({ "type": "thinking", "thinking": "", "signature": "" }),
            &[json!({ "type": "thinking_delta", "thinking": "And" })],
        )
        .stop("max_tokens");
    let reply = reply_to(ScriptedResponse::stream(stream.bytes(), 100)).await.unwrap().reply;
    assert_eq!((reply.text.as_str(), reply.thinking.as_str()), ("Half an ans", "And"));
    assert_eq!(
        native(&reply),
        r#"[{"type":"text","text":"Half an ans"}]"#,
        "unsigned thinking cannot go back"
    );
}

#[tokio::test]
async fn calls_without_a_block_end_are_returned() {
    let start = json!({ "type": "tool_use", "id": "0", "name": "k8s__pods", "input": { "namespace": "a" } });
    let stream = Stream::begin()
        .event("content_block_start", &json!({ "index": 0, "content_block": start }))
        .stop("tool_use");
    let reply = reply_to(ScriptedResponse::stream(stream.bytes(), 100)).await.unwrap().reply;
    assert_eq!(reply.tool_calls[0].arguments, r#"{"namespace":"a"}"#);
}
