//! Secrets in alerts and tool results never reach the model, the database, the stream, API responses or the log.

use std::fs;

use serde_json::json;
use tarsy_testkit::{ModelServer, ScriptedReply, ScriptedRequest, ToolServer};

use super::test_process::TestProcess;

/// Returns random values with the formats of secrets.
fn secrets() -> Vec<String> {
    let some =
        |length: usize| -> String { std::iter::repeat_with(fastrand::alphanumeric).take(length).collect() };
    let capitals = some(16).to_uppercase();
    vec![
        format!("AKIA{capitals}"),
        format!("ghp_{}", some(36)),
        format!("glpat-{}", some(20)),
        format!(
            "xoxb-{}-{}-{}",
            fastrand::u64(10_u64.pow(11)..10_u64.pow(12)),
            fastrand::u64(10_u64.pow(11)..10_u64.pow(12)),
            some(24)
        ),
        format!("Zz9-{}", some(18)),
        format!("q7{}", some(20)),
    ]
}

/// Returns a text with the values in various syntaxes.
fn leak(secrets: &[String]) -> String {
    let [aws, github, gitlab, slack, password, secret] = secrets else { panic!("six of them") };
    let manifest = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "shop" },
        "stringData": { "password": password, "note": secret },
    });
    format!(
        "2026-11-15 ERROR login failed aws_access_key_id={aws} token={github}\n{manifest}\n---\napiVersion: v1\n\
         kind: Secret\nstringData:\n  slack: {slack}\n---\nDB_PASSWORD={password}\n\
         postgres://shop:{password}@db/shop\ncurl -H 'PRIVATE-TOKEN: {gitlab}' https://git.example\n"
    )
}

/// Calls the tool and repeats everything it received.
fn repeats(request: &ScriptedRequest) -> ScriptedReply {
    if request.model == "sees" && request.results() == 0 {
        return ScriptedReply::Calls("I look.".to_owned(), vec![("shed__leak".to_owned(), json!({}))]);
    }
    ScriptedReply::Text(format!("I saw: {}", request.text()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_of_alerts_and_tools_are_masked_everywhere() {
    let (model, tools) = (ModelServer::start(repeats).await, ToolServer::start().await);
    let secrets = secrets();
    tools.plant(&leak(&secrets));
    let config = format!(
        "defaults: {{ llm_provider: m }}
mcp_servers: {{ shed: {{ transport: {{ type: http, url: \"{}\" }} }} }}
agents: {{ Seer: {{ mcp_servers: [shed], iteration_strategy: native-thinking }} }}
agent_chains: {{ test: {{ alert_types: [test], stages: [{{ name: one, agent: Seer }}, {{ name: two, agent: Seer }}] }} }}
",
        tools.url
    );
    let providers = format!(
        "llm_providers:\n  m: {{ type: openai-compatible, base_url: \"{}\", model: sees }}\n",
        model.url
    );
    let process = TestProcess::new(&[("tarsy.yaml", &config), ("llm-providers.yaml", &providers)]);
    let alert_secrets = self::secrets();
    let received = process.follow(&leak(&alert_secrets)).await;
    assert_eq!(tools.calls().len(), 2);
    assert!(received.contains("stream.chunk") && received.contains("[MASKED:"), "{received}");

    let requests = format!("{:?}", model.log());
    assert!(requests.contains("[MASKED:"), "{requests}");
    let mut outputs = vec![
        ("model requests".to_owned(), requests.into_bytes()),
        ("stream and API responses".to_owned(), received.into_bytes()),
    ];
    for file in fs::read_dir(process.path()).unwrap() {
        let path = file.unwrap().path();
        outputs.push((path.display().to_string(), fs::read(&path).unwrap()));
    }
    assert!(outputs.iter().any(|(name, bytes)| name.ends_with("tarsy.db") && bytes.len() > 10_000));
    for (name, bytes) in &outputs {
        for secret in secrets.iter().chain(&alert_secrets) {
            let is_leaked = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!is_leaked, "{secret} is in {name}");
        }
    }
}
