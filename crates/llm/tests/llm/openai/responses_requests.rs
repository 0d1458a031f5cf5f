//! Encoding of Responses requests.

use serde_json::{Value, json};
use tarsy_domain::{Message, ToolCall};
use tarsy_llm::{ModelRequest, Settings, ThinkingLevel, Vendor};

use super::client::{ask, ask_with, conversation, question, settings};
use crate::peer::ScriptedResponse;

async fn sent(request: ModelRequest, change: impl FnOnce(&mut Settings)) -> (String, Value) {
    let (_, received) = ask_with(Vendor::OpenAi, request, ScriptedResponse::status(400, "{}"), |url| {
        let mut settings = settings(url, "gpt-5");
        change(&mut settings);
        settings
    })
    .await;
    (received.path.clone(), received.json())
}

#[tokio::test]
async fn a_question_with_tools() {
    let (path, body) = sent(question(), |settings| settings.temperature = Some(0.5)).await;
    assert_eq!(path, "/v1/responses");
    insta::assert_snapshot!(serde_json::to_string_pretty(&body).unwrap(), @r#"
    {
      "model": "gpt-5",
      "instructions": "Be brief.",
      "input": [
        {
          "role": "user",
          "content": "Which pods fail?"
        }
      ],
      "tools": [
        {
          "type": "function",
          "name": "k8s__pods_list",
          "description": "Calls k8s.pods_list.",
          "parameters": {
            "type": "object",
            "properties": {
              "namespace": {
                "type": "string"
              }
            },
            "required": [
              "namespace"
            ]
          },
          "strict": false
        },
        {
          "type": "function",
          "name": "web__get",
          "description": "Calls web.get.",
          "parameters": {
            "type": "object",
            "properties": {}
          },
          "strict": false
        }
      ],
      "reasoning": {
        "effort": "medium",
        "summary": "auto"
      },
      "include": [
        "reasoning.encrypted_content"
      ],
      "stream": true,
      "store": false
    }
    "#);
}

#[tokio::test]
async fn models_without_reasoning_get_no_reasoning_options() {
    let (_, body) = sent(question(), |settings| {
        settings.origin.model = "gpt-4o".to_owned();
        settings.temperature = Some(0.5);
        settings.max_output_tokens = Some(900);
        settings.thinking.level = Some(ThinkingLevel::High);
    })
    .await;
    assert_eq!((&body["reasoning"], &body["include"]), (&Value::Null, &Value::Null));
    assert_eq!((&body["temperature"], &body["max_output_tokens"]), (&json!(0.5), &json!(900)));
}

#[tokio::test]
async fn thinking_is_configurable_and_the_base_path_is_kept() {
    let (path, body) = sent(question(), |settings| {
        settings.base_url = settings.base_url.join("gateway/openai/v1").unwrap();
        settings.origin.model = "gpt-5.1".to_owned();
        settings.thinking.level = Some(ThinkingLevel::Off);
    })
    .await;
    assert_eq!(path, "/gateway/openai/v1/responses");
    assert_eq!(body["reasoning"], json!({"effort": "none"}));
}

#[tokio::test]
async fn calls_of_other_models_are_rebuilt_with_their_results() {
    let call = |id: &str| ToolCall {
        id: id.to_owned(),
        name: "k8s.pods_list".to_owned(),
        arguments: "{}".to_owned(),
    };
    let asking = Message {
        tool_calls: vec![call("toolu_1"), call("toolu_2")],
        provider_state: Some(
            r#"{"wire":"anthropic","provider":"client","model":"gpt-5","native":[{"signature":"S"}]}"#
                .to_owned(),
        ),
        ..Message::assistant("Looking.")
    };
    let request = conversation([Message::user("Look."), asking, Message::tool(&call("toolu_2"), "two pods")]);
    let (_, received) = ask(Vendor::OpenAi, "gpt-5", request, ScriptedResponse::status(400, "{}")).await;
    assert_eq!(
        received.json()["input"],
        json!([
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": "Looking."},
            {"type": "function_call", "call_id": "toolu_1", "name": "k8s__pods_list", "arguments": "{}"},
            {"type": "function_call", "call_id": "toolu_2", "name": "k8s__pods_list", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "toolu_2", "output": "two pods"},
            {"type": "function_call_output", "call_id": "toolu_1", "output": "This call was not run."},
        ])
    );
    assert_eq!(received.json()["tools"], Value::Null);
    assert_eq!(received.header("authorization"), Some("Bearer sk-secret"));
}
