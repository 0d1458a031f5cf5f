//! What an alert or a tool shows by mistake is nowhere: not with the model, not in any byte of the database, not in the
//! stream or any answer, not in the log.

use std::fs;

use serde_json::json;
use tarsy_testkit::{Asked, ModelServer, Said, ToolServer};

use super::desk::Desk;

/// Values of the right shapes that are nobody's, other ones each time.
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

/// The values in the syntaxes that tools answer in.
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

/// Looks, and repeats what it saw, as models do.
fn repeats(asked: &Asked) -> Said {
    if asked.model == "sees" && asked.results() == 0 {
        return Said::Calls("I look.".to_owned(), vec![("shed__leak".to_owned(), json!({}))]);
    }
    Said::Text(format!("I saw: {}", asked.text()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_that_an_alert_or_a_tool_shows_is_kept_or_told_anywhere() {
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
    let desk = Desk::new(&[("tarsy.yaml", &config), ("llm-providers.yaml", &providers)]);
    let in_the_alert = self::secrets();
    let told = desk.follow(&leak(&in_the_alert)).await;
    assert_eq!(tools.calls().len(), 2);
    assert!(told.contains("stream.chunk") && told.contains("[MASKED:"), "{told}");

    let asked = format!("{:?}", model.log());
    assert!(asked.contains("[MASKED:"), "{asked}");
    let mut places = vec![
        ("what the model was asked".to_owned(), asked.into_bytes()),
        ("what the stream and the interface told".to_owned(), told.into_bytes()),
    ];
    for file in fs::read_dir(desk.path()).unwrap() {
        let path = file.unwrap().path();
        places.push((path.display().to_string(), fs::read(&path).unwrap()));
    }
    assert!(places.iter().any(|(name, bytes)| name.ends_with("tarsy.db") && bytes.len() > 10_000));
    for (name, bytes) in &places {
        for secret in secrets.iter().chain(&in_the_alert) {
            let is_there = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!is_there, "{secret} is in {name}");
        }
    }
}
