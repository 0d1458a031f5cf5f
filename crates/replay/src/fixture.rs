//! An exported session for tests, in which one agent reads a log.

use serde_json::{Value, json};
use tarsy_config::{Config, Environment};

/// Returns an exported session.
pub(crate) fn cassette() -> Value {
    json!({
        "cassette": 1,
        "agents": { "look/Looker": [{ "chunks": [{ "text": "A log.", "after_ms": 900 }] }] },
        "session": {
            "alert_type": "test",
            "alert": "Why?",
            "runbook": " Look at ${LOG} and {{.LOG}}.\n",
            "chain": chain(),
            "prompts": { "parts/alert.md.j2": "The alert: {{ alert.data }}\n" },
            "providers": { "google-default": { "context_window": 1000, "max_tool_result_tokens": 50 } },
            "tools": { "shed": {
                "instructions": "Read ${1} of {{.LOG}}: \"all\".",
                "summarization": { "enabled": false, "size_threshold_tokens": 70, "summary_max_token_limit": 7 },
                "definitions": [{ "name": "log", "description": "Reads.", "input_schema": { "type": "object" } }],
                "calls": [{
                    "agent": "look/Looker", "tool": "log", "arguments": { "lines": 3 }, "result": "a log",
                    "duration_ms": 5,
                }],
            } },
            "questions": 0,
            "outcome": { "status": "completed", "final_analysis": "A log.", "executions": [{
                "agent": "look/Looker", "status": "completed", "model_calls": 1, "tool_calls": 1,
                "usage": { "input_tokens": 0, "output_tokens": 0, "thinking_tokens": 0, "cached_tokens": 0 },
                "messages": [],
            }] },
        },
    })
}

fn chain() -> Value {
    let directory = tempfile::tempdir().unwrap();
    let config = "
defaults: { llm_provider: google-default }
mcp_servers:
  shed: { transport: { type: stdio, command: shed } }
agents:
  Looker: { mcp_servers: [shed] }
agent_chains:
  test:
    alert_types: [test]
    executive_summary_provider: openai-default
    stages:
      - { name: look, agent: Looker, fallback_providers: [{ provider: anthropic-default }] }
";
    std::fs::write(directory.path().join("tarsy.yaml"), config).unwrap();
    let config = Config::load(Some(directory.path()), &Environment::default());
    let config = config.unwrap_or_else(|faults| panic!("{faults}")).config;
    serde_json::to_value(config.chain_for_alert_type("test").unwrap()).unwrap()
}
