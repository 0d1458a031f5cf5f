//! A Python client of our service.

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_domain::{ModelCatalog, Secret};
use tarsy_llm::{
    Model, ModelSelection, ModelService, Origin, ReplayModel, ReplayPace, SelectionError, Settings, Thinking,
    Timeouts, Vendor,
};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use super::python::script;
use crate::peer::{Peer, ScriptedResponse};

const CASSETTE: &str = r#"
cassette: 1
agents:
  "*":
    - chunks:
        - thinking: Hm.
        - text: "Grüße "
        - text: aus Rust
        - code_execution: { code: print(1), result: "1" }
        - grounding: { queries: [q], sources: [{ uri: u, title: t }] }
        - usage: { input_tokens: 7, output_tokens: 5, thinking_tokens: 3, cached_tokens: 2 }
        - state: '{"signature":"c2ln"}'
"#;
/// A vendor's reply in which the usage arrives before the tool call is complete.
const CALLS: &str = r#"
data: {"type":"message_start","message":{"usage":{"input_tokens":12,"output_tokens":1}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln+/=="}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_a","name":"k8s__pods","input":{}}}

data: {"type":"content_block_stop","index":1}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}

data: {"type":"message_stop"}

"#;
const ANSWERS: &str = r#"
data: {"type":"message_start","message":{"usage":{"input_tokens":30,"output_tokens":1}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Three."}}

data: {"type":"content_block_stop","index":0}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}

data: {"type":"message_stop"}

"#;

async fn serve(model: Arc<dyn Model>) -> SocketAddr {
    serve_choice(move |asked: &ModelSelection| match asked.provider.as_str() {
        "anthropic" => Ok(Arc::clone(&model)),
        other => Err(SelectionError(format!("there is no provider `{other}`"))),
    })
    .await
}

async fn serve_choice(
    choose: impl Fn(&ModelSelection) -> Result<Arc<dyn Model>, SelectionError> + Send + Sync + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server::builder().add_service(ModelService::new(choose).into_server());
    tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
    address
}

/// Runs the client to completion. Returns the kind and content of each received message of a known kind.
async fn run_client(address: SocketAddr, config: Value) -> Vec<(String, Value)> {
    let mut command = script("model_client.py");
    command.args([address.to_string(), config.to_string()]);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    let messages = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let messages = messages.map(|it| (it["kind"].as_str().unwrap().to_owned(), it["content"].clone()));
    messages.filter(|(kind, _)| kind != "unknown").collect()
}

fn message(kind: &str, content: Value) -> (String, Value) {
    (kind.to_owned(), content)
}

#[tokio::test]
async fn every_kind_of_chunk_arrives() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, CASSETTE.as_bytes()).unwrap();
    let model = ReplayModel::open("demo", file.path(), ReplayPace::Immediate).unwrap();
    let got = run_client(serve(Arc::new(model)).await, json!({"provider": "anthropic"})).await;
    let expected = [
        message("thinking", json!({"content": "Hm."})),
        message("text", json!({"content": "Grüße "})),
        message("text", json!({"content": "aus Rust"})),
        message("code_execution", json!({"code": "print(1)", "result": "1"})),
        message(
            "grounding",
            json!({"web_search_queries": ["q"], "grounding_chunks": [{"uri": "u", "title": "t"}]}),
        ),
        message(
            "usage",
            json!({"input_tokens": 7, "output_tokens": 5, "total_tokens": 12, "thinking_tokens": 3}),
        ),
        message("final", Value::Null),
    ];
    assert_eq!(got, expected);
}

#[tokio::test]
async fn a_rejection_is_an_error_that_ends_the_reply() {
    let unused = Peer::start([]).await;
    let got = run_client(serve(claude(&unused)).await, json!({"provider": "unknown"})).await;
    let error = json!({"message": "there is no provider `unknown`", "code": "invalid_request"});
    assert_eq!(got, [message("error", error)]);
}

#[tokio::test]
async fn reasoning_state_is_kept_for_clients_that_cannot_store_it() {
    let vendor =
        Peer::start([CALLS, ANSWERS].map(|body| ScriptedResponse::stream(body.as_bytes(), 64))).await;
    let got = run_client(serve(claude(&vendor)).await, json!({"provider": "anthropic"})).await;
    // The usage is sent last, whenever the vendor reported it.
    let kinds: Vec<&str> = got.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["thinking", "tool_call", "usage", "final", "text", "usage", "final"]);
    assert_eq!(got[4].1["content"], "Three.");
    let second = vendor.requests()[1].json();
    let thinking = json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln+/=="});
    assert_eq!(second["messages"][1]["content"][0], thinking);
    assert_eq!(second["messages"][2]["content"][0]["tool_use_id"], "toolu_a");
}

fn claude(vendor: &Peer) -> Arc<dyn Model> {
    let settings = Settings {
        origin: Origin { provider: "claude".to_owned(), model: "claude-sonnet-4-5".to_owned() },
        base_url: vendor.url.clone(),
        api_key: Some(Secret::new("sk-test")),
        temperature: None,
        max_output_tokens: None,
        thinking: Thinking::default(),
        timeouts: Timeouts::default(),
        models: ModelCatalog::default(),
        verify_tls: true,
    };
    Vendor::Anthropic.model(settings).unwrap()
}

#[tokio::test]
async fn the_model_selector_receives_the_whole_request() {
    let address = serve_choice(|asked: &ModelSelection| Err(SelectionError(format!("{asked:?}")))).await;
    let asked = ModelSelection {
        provider: "vertexai".to_owned(),
        model: "m".to_owned(),
        api_key_env: "KEY".to_owned(),
        base_url: "http://there".to_owned(),
        credentials_env: "CREDENTIALS".to_owned(),
        project: "p".to_owned(),
        location: "l".to_owned(),
        backend: "google-native".to_owned(),
    };
    let config = json!({"provider": "vertexai", "model": "m", "api_key_env": "KEY", "base_url": "http://there",
        "credentials_env": "CREDENTIALS", "project": "p", "location": "l", "backend": "google-native"});
    let error = json!({"message": format!("{asked:?}"), "code": "invalid_request"});
    assert_eq!(run_client(address, config).await, [message("error", error)]);
}

#[tokio::test]
async fn an_unknown_backend_is_rejected() {
    let address = serve_choice(|_: &ModelSelection| Err(SelectionError("never asked".to_owned()))).await;
    let got = run_client(address, json!({"provider": "anthropic", "backend": "abacus"})).await;
    let error = json!({"message": "there is no backend `abacus`, only: google-native, langchain",
        "code": "invalid_backend"});
    assert_eq!(got, [message("error", error)]);
}
