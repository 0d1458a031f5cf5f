//! `tarsy llm` and `tarsy llm-serve`: with a recording, with a model simulator, and over gRPC.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{Program, python_tool};
use crate::tarsy::{tarsy, text};

const CASSETTE: &str = r#"
cassette: 1
agents:
  llm:
    - chunks:
        - thinking: Hm.
        - text: "Guten "
        - text: Tag.
        - tool_call: { id: a, name: k8s.pods, arguments: { namespace: a } }
        - usage: { input_tokens: 7, output_tokens: 5, thinking_tokens: 3, cached_tokens: 2 }
"#;
const BROKEN: &str = r#"
cassette: 1
agents:
  llm:
    - chunks: [{ text: Guten }]
      error: { kind: context_too_long, message: It does not fit. }
"#;

/// A configuration directory with providers.
struct LlmConfig(TempDir);

impl LlmConfig {
    /// Creates the providers `tape` and `broken`, and further ones.
    fn new(more_providers: &str) -> Self {
        let config = Self(tempfile::tempdir().unwrap());
        config.write("tarsy.yaml", "");
        let [tape, broken] = [("tape.yaml", CASSETTE), ("broken.yaml", BROKEN)]
            .map(|(name, cassette)| config.write(name, cassette));
        let providers = format!(
            "llm_providers:\n  tape: {{ type: replay, cassette: {tape} }}\n  \
             broken: {{ type: replay, cassette: {broken} }}\n{more_providers}"
        );
        config.write("llm-providers.yaml", &providers);
        config
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and returns its path.
    fn write(&self, name: &str, content: &str) -> String {
        fs::write(self.path(name), content).unwrap();
        self.path(name).display().to_string()
    }

    /// Runs `tarsy llm` with this configuration.
    fn llm(&self, arguments: &[&str]) -> Output {
        self.command(&[&["llm"], arguments].concat()).output().unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = tarsy(arguments);
        command.env("TARSY_CONFIG_DIR", self.0.path());
        command
    }
}

fn succeeded(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn failed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    text(&output.stderr)
}

fn lines(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn prints_the_reply_to_stdout_and_statistics_to_stderr() {
    let output = LlmConfig::new("").llm(&["--provider", "tape", "Hello?"]);
    assert_eq!(succeeded(&output), "Guten Tag.\n→ k8s.pods {\"namespace\":\"a\"}\n");
    let printed = text(&output.stderr);
    assert!(printed.starts_with("Hm.\ntape (recording:tape): first chunk after "), "{printed}");
    assert!(printed.ends_with("; 7 tokens in (2 cached), 5 out (3 thinking)\n"), "{printed}");
}

#[test]
fn prints_chunks_as_lines_of_json() {
    let output = LlmConfig::new("").llm(&["--provider", "tape", "--json", "Hello?"]);
    let expected = [
        json!({"from": {"provider": "tape", "model": "recording:tape"}}),
        json!({"thinking": "Hm."}),
        json!({"text": "Guten "}),
        json!({"text": "Tag."}),
        json!({"tool_call": {"id": "a", "name": "k8s.pods", "arguments": "{\"namespace\":\"a\"}"}}),
        json!({"usage": {"input_tokens": 7, "output_tokens": 5, "thinking_tokens": 3, "cached_tokens": 2}}),
    ];
    assert_eq!((lines(&output).as_slice(), text(&output.stderr).as_str()), (&expected[..], ""));
}

#[test]
fn a_failure_names_the_provider_and_the_kind() {
    let config = LlmConfig::new("");
    let output = config.llm(&["--provider", "broken", "Hello?"]);
    let expected = "broken (recording:broken) failed: It does not fit. (context_too_long)\n";
    assert_eq!((failed(&output).as_str(), text(&output.stdout).as_str()), (expected, "Guten\n"));
    let output = config.llm(&["--provider", "broken", "--json", "Hello?"]);
    assert_eq!(failed(&output), expected);
    let error = lines(&output).pop().unwrap()["error"].clone();
    assert_eq!((&error["kind"], &error["partial_text"]), (&json!("context_too_long"), &json!("Guten")));
}

#[test]
fn a_recorded_reply_can_be_played() {
    let config = LlmConfig::new("");
    let path = config.path("tape.yaml").display().to_string();
    let again = config.path("again.yaml").display().to_string();
    let first = config.llm(&["--provider", "tape", "--json", "--record", &again, "Hello?"]);
    fs::rename(&again, &path).unwrap();
    let second = config.llm(&["--provider", "tape", "--json", "Hello?"]);
    assert_eq!(succeeded(&first), succeeded(&second));
    let output = config.llm(&["--provider", "tape", "--record", "/nowhere/tape.yaml", "Hello?"]);
    assert!(failed(&output).contains("/nowhere/tape.yaml"), "{}", text(&output.stderr));
}

#[test]
fn the_error_for_an_unknown_provider_lists_known_ones() {
    let output = LlmConfig::new("").llm(&["--provider", "unknown", "Hello?"]);
    let printed = failed(&output);
    assert!(
        printed.starts_with("there is no provider `unknown`; there are: anthropic-default, broken, "),
        "{printed}"
    );
}

#[test]
fn the_error_for_a_missing_key_names_its_variable() {
    let output = LlmConfig::new("").llm(&["--provider", "openai-default", "Hello?"]);
    assert_eq!(failed(&output), "provider `openai-default` cannot be used without OPENAI_API_KEY\n");
}

#[test]
fn the_error_for_an_invalid_file_shows_the_expected_form() {
    let config = LlmConfig::new("");
    let wrong = config.write("wrong.json", "{}");
    for (flag, form) in [
        ("--messages", "wrong.json does not have the form [{\"role\": \"user\", \"content\": \"…\"}, …]"),
        ("--tools", "wrong.json does not have the form [{\"name\": \"server.tool\", "),
    ] {
        let printed = failed(&config.llm(&["--provider", "tape", flag, &wrong, "Hello?"]));
        assert!(printed.contains(form) && printed.contains("line 1"), "{printed}");
        let printed = failed(&config.llm(&["--provider", "tape", flag, "missing.json", "Hello?"]));
        assert!(printed.starts_with("reading missing.json: No such file"), "{printed}");
    }
}

#[test]
fn rejects_an_empty_prompt() {
    let config = LlmConfig::new("");
    let empty = config.write("empty.json", "[]");
    let output = config.llm(&["--provider", "tape", "--messages", &empty, "--system", "Be brief."]);
    assert_eq!(failed(&output), "there is no message for the model; pass a prompt or --messages\n");
    let output = config.command(&["llm", "--provider", "tape", "-"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(failed(&output), "stdin is empty\n");
}

/// A simulated model that echoes its input.
fn echo() -> (Program, LlmConfig) {
    let mut command = Command::new(python_tool("llmock"));
    let program = Program::start(command.args(["serve", "--port", "0", "--response-style", "echo"]));
    let address = program.printed_after("Uvicorn running on ");
    let provider = format!("  echo: {{ type: openai-compatible, base_url: {address}/v1, model: small }}\n");
    (program, LlmConfig::new(&provider))
}

#[test]
fn the_prompt_follows_the_system_message_and_the_conversation() {
    let (_program, config) = echo();
    let messages = r#"[{"role": "user", "content": "One."}, {"role": "assistant", "content": "Two."}]"#;
    let messages = config.write("messages.json", messages);
    let arguments = ["llm", "--provider", "echo", "--system", "Zero.", "--messages", &messages, "-"];
    let mut child = config
        .command(&arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"Three.").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(succeeded(&output), "Hello! You said: Zero. One. Two. Three.\n");
}

#[test]
fn tools_are_bound_by_their_names() {
    let (_program, config) = echo();
    let tools = r#"[{"name": "k8s.pods_list", "description": "Lists pods.", "input_schema":
        {"type": "object", "required": ["limit"], "properties": {"limit": {"type": "integer", "minimum": 3}}}}]"#;
    let tools = config.write("tools.json", tools);
    let output = config.llm(&["--provider", "echo", "--tools", &tools, "List them."]);
    assert_eq!(succeeded(&output), "→ k8s.pods_list {\"limit\": 3}\n");
}

#[test]
fn a_process_uses_the_models_of_another_over_grpc() {
    let server = LlmConfig::new("");
    let mut service = server.command(&["llm-serve", "--listen", "127.0.0.1:0"]);
    let mut service = Program::start(&mut service);
    let address = service.printed_after("listening on ");
    let client = LlmConfig::new(&format!(
        "  far: {{ type: grpc, base_url: \"http://{address}\", model: tape/any }}\n  \
         unknown: {{ type: grpc, base_url: \"http://{address}\", model: unknown/any }}\n"
    ));
    let local = server.llm(&["--provider", "tape", "--json", "Hello?"]);
    let remote = client.llm(&["--provider", "far", "--json", "Hello?"]);
    succeeded(&remote);
    let content =
        |output| lines(output).into_iter().filter(|line| line.get("from").is_none()).collect::<Vec<_>>();
    assert_eq!(content(&remote), content(&local));
    let printed = failed(&client.llm(&["--provider", "unknown", "Hello?"]));
    assert!(printed.contains("unknown provider `unknown`; known providers: "), "{printed}");
    assert_eq!(service.stop(), Some(0));
}

#[test]
fn a_reply_in_flight_does_not_block_the_shutdown() {
    let server = LlmConfig::new("");
    let slow =
        "cassette: 1\nagents:\n  llm:\n    - chunks: [{ text: Guten }, { text: Tag, after_ms: 600000 }]\n";
    server.write("tape.yaml", slow);
    let mut service = Program::start(&mut server.command(&["llm-serve", "--listen", "127.0.0.1:0"]));
    let address = service.printed_after("listening on ");
    let provider = format!("  far: {{ type: grpc, base_url: \"http://{address}\", model: tape/any }}\n");
    let client = LlmConfig::new(&provider);
    let reply = Program::start(&mut client.command(&["llm", "--provider", "far", "--json", "Hello?"]));
    reply.printed_after("{\"text\":\"Guten\"}");
    assert_eq!(service.stop(), Some(0));
    reply.printed_after("(network)");
}
