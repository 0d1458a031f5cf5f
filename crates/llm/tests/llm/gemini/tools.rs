//! Tool calls, and results of native tools.

use std::sync::Arc;

use serde_json::json;
use tarsy_domain::{
    CodeExecution, Grounding, GroundingSource, GroundingSupport, Message, ModelFailureKind, ToolCall,
    ToolDefinition,
};
use tarsy_llm::ModelRequest;

use super::{PRO, ask, conversation, events, last, native, parts, reply};
use crate::peer::ScriptedResponse;

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
}

fn with_tool(name: &str, request: ModelRequest) -> ModelRequest {
    let tool =
        ToolDefinition { name: name.to_owned(), description: "A tool.".to_owned(), input_schema: json!({}) };
    ModelRequest { tools: Arc::from([Arc::new(tool)]), ..request }
}

async fn calls(request: ModelRequest, body: &str) -> Vec<ToolCall> {
    ask(PRO, request, ScriptedResponse::stream(body.as_bytes(), 11)).await.0.unwrap().reply.tool_calls
}

#[tokio::test]
async fn calls_have_canonical_names_and_unchanged_arguments() {
    let body = events(&[
        &parts(
            r#"{"functionCall":{"name":"k8s__get_pods","args":{"b": 1.0,  "a":"ü\u00fc"}},"thoughtSignature":"c2ln"}"#,
        ),
        &last(
            r#"{"functionCall":{"name":"k8s__get_pods","args":null}},{"functionCall":{"name":"invented"}}"#,
        ),
    ]);
    let request = with_tool("k8s.get_pods", conversation([Message::user("Look.")]));
    let expected = [
        call("gemini-call-1", "k8s.get_pods", r#"{"b": 1.0,  "a":"ü\u00fc"}"#),
        call("gemini-call-2", "k8s.get_pods", "{}"),
        call("gemini-call-3", "invented", "{}"),
    ];
    assert_eq!(calls(request, &body).await, expected);
}

#[tokio::test]
async fn generated_call_ids_are_unique_in_a_conversation() {
    let mut earlier = Message::assistant("");
    earlier.tool_calls = vec![call("gemini-call-2", "a.b", "{}"), call("seven", "a.b", "{}")];
    let results = earlier.tool_calls.clone().into_iter().map(|call| Message::tool(&call, "done"));
    let request = conversation([Message::user("Look."), earlier.clone()].into_iter().chain(results));
    let body = events(&[&last(
        r#"{"functionCall":{"name":"x"}},{"functionCall":{"name":"x","id":"seven"}},
           {"functionCall":{"name":"x","id":"eight"}},{"functionCall":{"name":"x","id":"eight"}},
           {"functionCall":{"name":"x","id":""}}"#
            .replace('\n', "")
            .as_str(),
    )]);
    let ids: Vec<_> = calls(request, &body).await.into_iter().map(|call| call.id).collect();
    assert_eq!(ids, ["gemini-call-3", "gemini-call-4", "eight", "gemini-call-6", "gemini-call-7"]);
}

#[tokio::test]
async fn a_call_without_a_name_is_a_provider_bug() {
    let error = reply(&events(&[&last(r#"{"functionCall":{"args":{}}}"#)])).await.unwrap_err();
    assert_eq!(error.failure.kind, ModelFailureKind::ProviderBug);
}

#[tokio::test]
async fn signatures_stay_on_their_parts() {
    let call = r#"{"functionCall": {"name":"a__b","args":{"x": 1}},"thoughtSignature": "QUJD+/=="}"#;
    let second = r#"{"functionCall":{"name":"a__b","args":{"x":2}}}"#;
    let end = r#"{"text":"","thoughtSignature":"REVG"}"#;
    let body = events(&[
        &parts(r#"{"text":"thinking","thought":true}"#),
        &parts(r#"{"text":"I "},{"text":"look."}"#),
        &parts(call),
        &parts(second),
        &last(end),
    ]);
    let assembly = reply(&body).await.unwrap();
    let expected =
        format!(r#""native":{{"role":"model","parts":[{{"text":"I look."}},{call},{second},{end}]}}}}"#);
    let state = assembly.reply.provider_state.unwrap();
    assert!(state.ends_with(&expected), "{state}");
}

#[tokio::test]
async fn code_execution_is_decoded_with_its_result() {
    let body = events(&[
        &parts(
            r#"{"executableCode":{"language":"PYTHON","code":"1","id":"a"}},{"executableCode":{"code":"2","id":"b"}}"#,
        ),
        &parts(r#"{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"two","id":"b"}}"#),
        &parts(r#"{"codeExecutionResult":{"outcome":"OUTCOME_FAILED","output":"no","id":"a"}}"#),
        &parts(r#"{"executableCode":{"code":"3"}},{"executableCode":{"code":"4"}}"#),
        &parts(r#"{"codeExecutionResult":{"outcome":"OUTCOME_DEADLINE_EXCEEDED","output":"slow"}}"#),
        &last(r#"{"text":"Done."}"#),
    ]);
    let assembly = reply(&body).await.unwrap();
    let ran = |code: &str, result: &str| CodeExecution { code: code.to_owned(), result: result.to_owned() };
    let expected = [
        ran("2", "two"),
        ran("1", "the code failed: no"),
        ran("3", "the code ran too long: slow"),
        ran("4", ""),
    ];
    assert_eq!(assembly.reply.code_executions, expected);
    assert_eq!(native(&assembly)["parts"].as_array().unwrap().len(), 8);
}

#[tokio::test]
async fn sources_of_several_events_become_one_grounding() {
    let body = events(&[
        r#"{"candidates":[{"content":{"parts":[{"text":"It rains."}]},"groundingMetadata":{"webSearchQueries":["rain"]}}]}"#,
        r#"{"candidates":[{"groundingMetadata":{}}]}"#,
        &r#"{"candidates":[{"finishReason":"STOP","groundingMetadata":{
            "searchEntryPoint":{"renderedContent":"<div></div>"},
            "groundingChunks":[{"web":{"uri":"https://a.example","title":"A"}},{"maps":{}}],
            "groundingSupports":[{"segment":{"endIndex":9,"text":"It rains."},"groundingChunkIndices":[0]}]}}]}"#
            .replace('\n', ""),
    ]);
    let source = GroundingSource { uri: "https://a.example".to_owned(), title: "A".to_owned() };
    let support = GroundingSupport {
        start_index: 0,
        end_index: 9,
        text: "It rains.".to_owned(),
        source_indices: vec![0],
    };
    let expected = Grounding {
        queries: vec!["rain".to_owned()],
        sources: vec![source, GroundingSource::default()],
        supports: vec![support],
        search_entry_point_html: "<div></div>".to_owned(),
    };
    assert_eq!(reply(&body).await.unwrap().reply.groundings, [expected]);
}
