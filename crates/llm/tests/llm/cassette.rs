//! Cassettes: recording, playback, and diagnostics for invalid files.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::StreamExt;
use tarsy_domain::{Cassette, ModelFailureKind, TokenUsage, ToolCall};
use tarsy_llm::{
    Chunk, Model, ModelError, ModelRequest, NativeTools, RecordedModel, ReplayModel, ReplayPace, Tags, Tape,
    parse_cassette,
};

const CASSETTE: &str = r#"
cassette: 1
description: A pod that runs out of memory
characters_per_second: 2000
agents:
  collect/KubernetesAgent:
    - chunks:
        - thinking: The pods first.
        - tool_call: { name: k8s.pods, arguments: { namespace: shop } }
        - usage: { input_tokens: 1200, output_tokens: 40 }
    - chunks:
        - text: |
            The pod runs
              out of memory.
          after_ms: 5
  "*":
    - chunks: [{ text: Half a sen }, { usage: { input_tokens: 9 } }]
      error: { kind: network, message: The connection broke. }
"#;

fn request(stage: &str, agent: &str, turn: u32) -> ModelRequest {
    ModelRequest {
        stop_sequences: &[],
        messages: Vec::new(),
        tools: Arc::new([]),
        native_tools: NativeTools::default(),
        tags: Tags { stage: stage.to_owned(), agent: agent.to_owned(), turn, ..Tags::default() },
    }
}

async fn answer(model: &dyn Model, request: ModelRequest) -> (Vec<Chunk>, Option<ModelError>) {
    let (mut chunks, mut error) = (Vec::new(), None);
    let mut reply = model.stream(request);
    while let Some(part) = reply.next().await {
        match part {
            Ok(Chunk::From(_)) => {}
            Ok(chunk) => chunks.push(chunk),
            Err(failure) => error = Some(failure),
        }
    }
    (chunks, error)
}

fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    (directory, path)
}

fn text_of(chunks: &[Chunk]) -> String {
    let text = |chunk: &Chunk| if let Chunk::Text(text) = chunk { text.clone() } else { String::new() };
    chunks.iter().map(text).collect()
}

#[tokio::test]
async fn turns_of_an_agent_are_played_in_order() {
    let (_directory, path) = file("shop.yaml", CASSETTE);
    let model = ReplayModel::open("demo", &path, ReplayPace::Immediate).unwrap();
    assert_eq!(model.origin().model, "recording:shop");

    let (first, _) = answer(&model, request("collect", "KubernetesAgent", 1)).await;
    let call = ToolCall {
        id: "call-1-2".into(),
        name: "k8s.pods".into(),
        arguments: "{\"namespace\":\"shop\"}".into(),
    };
    let usage = TokenUsage { input_tokens: 1200, output_tokens: 40, ..TokenUsage::default() };
    assert_eq!(first[first.len() - 2..], [Chunk::ToolCall(call), Chunk::Usage(usage)]);

    let (second, error) = answer(&model, request("collect", "KubernetesAgent", 2)).await;
    assert!(second.len() > 1, "text is split into chunks");
    assert_eq!((text_of(&second).as_str(), error), ("The pod runs\n  out of memory.\n", None));
}

const ANSWERS: &str = "
cassette: 1
agents:
  ChatAgent:
    - chunks: [{ text: I was not asked that. }]
questions:
  - words: [secret]
    turns:
      - chunks: [{ tool_call: { name: k8s.secrets }, after_ms: 60000 }]
      - chunks: [{ text: It is masked., after_ms: 60000 }]
";

#[tokio::test]
async fn a_chat_reply_is_selected_by_words_of_the_question() {
    let (_directory, path) = file("answers.yaml", ANSWERS);
    let model = ReplayModel::open("demo", &path, ReplayPace::Immediate).unwrap();
    let asked = |question: &str, turn| {
        let mut request = request("chat 1", "ChatAgent", turn);
        request.tags.question = Some(question.to_owned());
        request
    };
    let (first, _) = answer(&model, asked("Are there secrets?", 1)).await;
    assert!(matches!(&first[..], [Chunk::ToolCall(call)] if call.name == "k8s.secrets"), "{first:?}");
    let (second, _) = answer(&model, asked("Are there secrets?", 2)).await;
    assert_eq!(text_of(&second), "It is masked.");
    let (other, _) = answer(&model, asked("Who are you?", 1)).await;
    assert_eq!(text_of(&other), "I was not asked that.");
}

#[test]
fn playback_without_delays_yields_all_chunks() {
    let waiting = parse_cassette(ANSWERS).unwrap();
    let hurried = waiting.clone().without_pauses();
    let written = |cassette: &Cassette| serde_json::to_value(cassette).unwrap().to_string();
    assert!(written(&waiting).contains("after_ms"));
    assert_eq!(written(&hurried), written(&waiting).replace(",\"after_ms\":60000", ""));
}

#[tokio::test]
async fn a_broken_reply_carries_the_partial_text() {
    let (_directory, path) = file("shop.yaml", CASSETTE);
    let model = ReplayModel::open("demo", &path, ReplayPace::Recorded).unwrap();
    let (_, error) = answer(&model, request("other", "SomebodyElse", 1)).await;
    let failure = error.unwrap().failure;
    assert_eq!((failure.kind, failure.partial_text.as_str()), (ModelFailureKind::Network, "Half a sen"));
    assert_eq!(failure.usage.input_tokens, 9);
}

#[test]
fn a_session_section_does_not_prevent_playback() {
    // JSON allows this character unescaped; YAML does not.
    let exported = "{\"cassette\": 1, \"agents\": {}, \"session\": {\"alert\": \"\u{7f}\"}}";
    let cassette = parse_cassette(exported).unwrap();
    assert_eq!(cassette.session.unwrap()["alert"], "\u{7f}");
    let written = "cassette: 1\nagents: {}\nsession: { alert: Why? }\n";
    assert_eq!(parse_cassette(written).unwrap().session.unwrap()["alert"], "Why?");
    assert!(parse_cassette("{ cassette: 1, agents: {}, sesion: {} }").unwrap_err().contains("sesion"));
}

#[tokio::test]
async fn a_missing_turn_is_reported() {
    let (_directory, path) = file("shop.yaml", CASSETTE);
    let model = ReplayModel::open("demo", &path, ReplayPace::Immediate).unwrap();
    let (_, error) = answer(&model, request("collect", "KubernetesAgent", 3)).await;
    let message = error.unwrap().to_string();
    assert!(
        message.ends_with("it has 2 turns for collect/KubernetesAgent, but turn 3 was requested"),
        "{message}"
    );
}

#[tokio::test]
async fn a_recording_plays_back_equal() {
    let (directory, path) = file("shop.yaml", CASSETTE);
    let copy = directory.path().join("copy.yaml");
    let original: Arc<dyn Model> = Arc::new(ReplayModel::open("demo", &path, ReplayPace::Immediate).unwrap());
    let tape = Arc::new(Tape::new(copy.clone(), "A copy").unwrap());
    let recorded = RecordedModel::new(Arc::clone(&original), tape);
    let asked =
        [("collect", "KubernetesAgent", 1), ("collect", "KubernetesAgent", 2), ("other", "SomebodyElse", 1)];
    for (stage, agent, turn) in asked {
        answer(&recorded, request(stage, agent, turn)).await;
    }
    let played = ReplayModel::open("demo", &copy, ReplayPace::Immediate).unwrap();
    for (stage, agent, turn) in asked {
        let again = answer(&played, request(stage, agent, turn)).await;
        assert_eq!(again, answer(&*original, request(stage, agent, turn)).await);
    }
}

#[tokio::test]
async fn an_abandoned_call_does_not_shift_later_turns() {
    let (directory, path) = file("shop.yaml", CASSETTE);
    let copy = directory.path().join("copy.yaml");
    let original: Arc<dyn Model> = Arc::new(ReplayModel::open("demo", &path, ReplayPace::Immediate).unwrap());
    let recorded = RecordedModel::new(original, Arc::new(Tape::new(copy.clone(), "A copy").unwrap()));
    drop(recorded.stream(request("collect", "KubernetesAgent", 1)));
    answer(&recorded, request("collect", "KubernetesAgent", 2)).await;
    let played = ReplayModel::open("demo", &copy, ReplayPace::Immediate).unwrap();
    let (second, _) = answer(&played, request("collect", "KubernetesAgent", 2)).await;
    assert_eq!(text_of(&second), "The pod runs\n  out of memory.\n");
    assert!(answer(&played, request("collect", "KubernetesAgent", 1)).await.1.is_some());
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let (_directory, path) = file("shop.yaml", CASSETTE);
    assert!(Tape::new(path.clone(), "A copy").is_err());
    assert_eq!(std::fs::read_to_string(path).unwrap(), CASSETTE);
}

#[test]
fn an_invalid_cassette_is_reported_with_its_position() {
    let wrong = [
        ("cassette: 2\nagents: {}", "version 2 is not supported; this program reads version 1"),
        ("cassette: 1\nagents: { A: [{}] }", "turn 1 of A: it has neither `chunks` nor `error`"),
        (
            "cassette: 1\nagents: { A: [{ chunks: [{ text: a, thinking: b }] }] }",
            "turn 1 of A: chunk 1 has 2 of",
        ),
        ("cassette: 1\nagents:\n  A:\n    - chunks:\n        - txt: a", "line 5"),
        (
            "cassette: 1\nagents: {}\nquestions: [{ turns: [{}] }]",
            "turn 1 of question 1: it has neither `chunks` nor `error`",
        ),
        ("cassette: 1\nagents: { A: [{ error: { kind: bad, message: x } }] }", "bad"),
    ];
    for (text, expected) in wrong {
        let problem = parse_cassette(text).unwrap_err();
        assert!(problem.contains(expected), "{problem}");
    }
}

#[test]
fn the_documented_cassette_is_valid() {
    let page = include_str!("../../../../docs/cassettes.md");
    let example = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let cassette = parse_cassette(example).unwrap();
    assert_eq!(cassette.agents["data-collection/KubernetesAgent"].len(), 3);
}
