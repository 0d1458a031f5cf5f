//! Encoding of Chat Completions requests.

use serde_json::{Value, json};
use tarsy_domain::{Message, ToolCall};
use tarsy_llm::{ModelRequest, Settings, ThinkingLevel, Vendor};

use super::client::{ask_with, conversation, question, settings};
use crate::peer::ScriptedResponse;

async fn sent(request: ModelRequest, change: impl FnOnce(&mut Settings)) -> (String, Value) {
    let (_, received) =
        ask_with(Vendor::OpenAiCompatible, request, ScriptedResponse::status(400, "{}"), |url| {
            let mut settings = settings(url, "qwen3");
            change(&mut settings);
            settings
        })
        .await;
    (received.path.clone(), received.json())
}

#[tokio::test]
async fn a_question_with_tools() {
    let (path, body) = sent(question(), |settings| {
        settings.temperature = Some(0.2);
        settings.max_output_tokens = Some(500);
    })
    .await;
    assert_eq!(path, "/v1/chat/completions");
    insta::assert_snapshot!(serde_json::to_string_pretty(&body).unwrap(), @r#"
    {
      "model": "qwen3",
      "messages": [
        {
          "role": "system",
          "content": "Be brief."
        },
        {
          "role": "user",
          "content": "Which pods fail?"
        }
      ],
      "tools": [
        {
          "type": "function",
          "function": {
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
            }
          }
        },
        {
          "type": "function",
          "function": {
            "name": "web__get",
            "description": "Calls web.get.",
            "parameters": {
              "type": "object",
              "properties": {}
            }
          }
        }
      ],
      "temperature": 0.2,
      "max_tokens": 500,
      "stream": true,
      "stream_options": {
        "include_usage": true
      }
    }
    "#);
}

#[tokio::test]
async fn earlier_calls_require_tool_definitions() {
    let call = |id: &str, name: &str| ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: "{}".to_owned(),
    };
    let asking = Message {
        tool_calls: vec![call("a", "k8s.pods_list"), call("b", "k8s.pods_list")],
        ..Message::assistant("")
    };
    let (_, body) = sent(
        conversation([
            Message::user("Look."),
            asking,
            Message::tool(&call("a", "k8s.pods_list"), "two pods"),
            Message::user("Conclude."),
            Message::user("Now."),
        ]),
        |_| {},
    )
    .await;
    let native_call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "k8s__pods_list", "arguments": "{}"}});
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": null, "tool_calls": [native_call("a"), native_call("b")]},
            {"role": "tool", "tool_call_id": "a", "content": "two pods"},
            {"role": "tool", "tool_call_id": "b", "content": "This call was not run."},
            {"role": "user", "content": "Conclude.\n\nNow."},
        ])
    );
    assert_eq!(body["tool_choice"], "none");
    let names: Vec<_> =
        body["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]["name"]).collect();
    assert_eq!(names, ["k8s__pods_list"]);
}

#[tokio::test]
async fn effort_is_sent_only_if_configured() {
    for (model, level, effort) in [
        ("qwen3", None, Value::Null),
        ("qwen3", Some(ThinkingLevel::Off), json!("none")),
        ("grok-3-mini", Some(ThinkingLevel::Medium), json!("high")),
        ("x-ai/grok-4", Some(ThinkingLevel::High), Value::Null),
        ("gpt-4o", Some(ThinkingLevel::High), Value::Null),
        ("openai/gpt-5", Some(ThinkingLevel::Off), json!("minimal")),
    ] {
        let (_, body) = sent(question(), |settings| {
            settings.origin.model = model.to_owned();
            settings.thinking.level = level;
        })
        .await;
        assert_eq!(body["reasoning_effort"], effort, "{model} {level:?}");
    }
}

#[tokio::test]
async fn reasoning_models_use_another_name_for_the_output_limit() {
    let (path, body) = sent(question(), |settings| {
        settings.base_url = settings.base_url.join("llm/openai/v1/?team=a").unwrap();
        settings.origin.model = "o4-mini".to_owned();
        settings.temperature = Some(0.2);
        settings.max_output_tokens = Some(500);
    })
    .await;
    assert_eq!(path, "/llm/openai/v1/chat/completions?team=a");
    assert_eq!((&body["max_tokens"], &body["temperature"]), (&Value::Null, &Value::Null));
    assert_eq!(body["max_completion_tokens"], 500);
}
