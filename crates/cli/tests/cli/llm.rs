//! `tarsy llm` and `tarsy llm-serve`, the real binary: on a recording, before a referee that plays a model, and over gRPC.

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

/// A configuration with providers, and files beside it.
struct Desk(TempDir);

impl Desk {
    /// The recordings `tape` and `broken`, and what else is said of providers.
    fn new(more_providers: &str) -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        desk.write("tarsy.yaml", "");
        let [tape, broken] = [("tape.yaml", CASSETTE), ("broken.yaml", BROKEN)]
            .map(|(name, cassette)| desk.write(name, cassette));
        let providers = format!(
            "llm_providers:\n  tape: {{ type: replay, cassette: {tape} }}\n  \
             broken: {{ type: replay, cassette: {broken} }}\n{more_providers}"
        );
        desk.write("llm-providers.yaml", &providers);
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and gives its path.
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
fn an_answer_goes_to_stdout_and_what_there_is_to_say_about_it_to_stderr() {
    let output = Desk::new("").llm(&["--provider", "tape", "Hello?"]);
    assert_eq!(succeeded(&output), "Guten Tag.\n→ k8s.pods {\"namespace\":\"a\"}\n");
    let said = text(&output.stderr);
    assert!(said.starts_with("Hm.\ntape (recording:tape): first chunk after "), "{said}");
    assert!(said.ends_with("; 7 tokens in (2 cached), 5 out (3 thinking)\n"), "{said}");
}

#[test]
fn chunks_come_as_lines_of_json() {
    let output = Desk::new("").llm(&["--provider", "tape", "--json", "Hello?"]);
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
fn a_failure_says_who_failed_and_what_kind_it_is() {
    let desk = Desk::new("");
    let output = desk.llm(&["--provider", "broken", "Hello?"]);
    let expected = "broken (recording:broken) could not answer: It does not fit. (context_too_long)\n";
    assert_eq!((failed(&output).as_str(), text(&output.stdout).as_str()), (expected, "Guten\n"));
    let output = desk.llm(&["--provider", "broken", "--json", "Hello?"]);
    assert_eq!(failed(&output), expected);
    let error = lines(&output).pop().unwrap()["error"].clone();
    assert_eq!((&error["kind"], &error["partial_text"]), (&json!("context_too_long"), &json!("Guten")));
}

#[test]
fn what_was_recorded_can_be_played() {
    let desk = Desk::new("");
    let path = desk.path("tape.yaml").display().to_string();
    let again = desk.path("again.yaml").display().to_string();
    let first = desk.llm(&["--provider", "tape", "--json", "--record", &again, "Hello?"]);
    fs::rename(&again, &path).unwrap();
    let second = desk.llm(&["--provider", "tape", "--json", "Hello?"]);
    assert_eq!(succeeded(&first), succeeded(&second));
    let output = desk.llm(&["--provider", "tape", "--record", "/nowhere/tape.yaml", "Hello?"]);
    assert!(failed(&output).contains("/nowhere/tape.yaml"), "{}", text(&output.stderr));
}

#[test]
fn an_unknown_provider_is_answered_with_those_that_are_known() {
    let output = Desk::new("").llm(&["--provider", "nobody", "Hello?"]);
    let said = failed(&output);
    assert!(
        said.starts_with("there is no provider `nobody`; there are: anthropic-default, broken, "),
        "{said}"
    );
}

#[test]
fn a_missing_key_is_named() {
    let output = Desk::new("").llm(&["--provider", "openai-default", "Hello?"]);
    assert_eq!(failed(&output), "provider `openai-default` cannot be used without OPENAI_API_KEY\n");
}

#[test]
fn wrong_files_are_named_with_the_form_they_should_have() {
    let desk = Desk::new("");
    let wrong = desk.write("wrong.json", "{}");
    for (flag, form) in [
        ("--messages", "wrong.json is not of the form [{\"role\": \"user\", \"content\": \"…\"}, …]"),
        ("--tools", "wrong.json is not of the form [{\"name\": \"server.tool\", "),
    ] {
        let said = failed(&desk.llm(&["--provider", "tape", flag, &wrong, "Hello?"]));
        assert!(said.contains(form) && said.contains("line 1"), "{said}");
        let said = failed(&desk.llm(&["--provider", "tape", flag, "missing.json", "Hello?"]));
        assert!(said.starts_with("reading missing.json: No such file"), "{said}");
    }
}

#[test]
fn nothing_is_not_sent() {
    let desk = Desk::new("");
    let empty = desk.write("empty.json", "[]");
    let output = desk.llm(&["--provider", "tape", "--messages", &empty, "--system", "Be brief."]);
    assert_eq!(failed(&output), "there is nothing to say to the model\n");
    let output = desk.command(&["llm", "--provider", "tape", "-"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(failed(&output), "standard input is empty\n");
}

/// A model of the referee's, which repeats what it is told.
fn echo() -> (Program, Desk) {
    let mut command = Command::new(python_tool("llmock"));
    let program = Program::start(command.args(["serve", "--port", "0", "--response-style", "echo"]));
    let address = program.told("Uvicorn running on ");
    let provider = format!("  echo: {{ type: openai-compatible, base_url: {address}/v1, model: small }}\n");
    (program, Desk::new(&provider))
}

#[test]
fn a_prompt_comes_after_instructions_and_conversation() {
    let (_program, desk) = echo();
    let messages = r#"[{"role": "user", "content": "One."}, {"role": "assistant", "content": "Two."}]"#;
    let messages = desk.write("messages.json", messages);
    let arguments = ["llm", "--provider", "echo", "--system", "Zero.", "--messages", &messages, "-"];
    let mut child = desk
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
fn tools_are_offered_by_their_names() {
    let (_program, desk) = echo();
    let tools = r#"[{"name": "k8s.pods_list", "description": "Lists pods.", "input_schema":
        {"type": "object", "required": ["limit"], "properties": {"limit": {"type": "integer", "minimum": 3}}}}]"#;
    let tools = desk.write("tools.json", tools);
    let output = desk.llm(&["--provider", "echo", "--tools", &tools, "List them."]);
    assert_eq!(succeeded(&output), "→ k8s.pods_list {\"limit\": 3}\n");
}

#[test]
fn one_process_asks_another_over_grpc() {
    let served = Desk::new("");
    let mut service = served.command(&["llm-serve", "--listen", "127.0.0.1:0"]);
    let mut service = Program::start(&mut service);
    let address = service.told("listening on ");
    let asking = Desk::new(&format!(
        "  far: {{ type: grpc, base_url: \"http://{address}\", model: tape/any }}\n  \
         nobody: {{ type: grpc, base_url: \"http://{address}\", model: nobody/any }}\n"
    ));
    let near = served.llm(&["--provider", "tape", "--json", "Hello?"]);
    let far = asking.llm(&["--provider", "far", "--json", "Hello?"]);
    succeeded(&far);
    let content =
        |output| lines(output).into_iter().filter(|line| line.get("from").is_none()).collect::<Vec<_>>();
    assert_eq!(content(&far), content(&near));
    let said = failed(&asking.llm(&["--provider", "nobody", "Hello?"]));
    assert!(said.contains("there is no provider `nobody`; there are: "), "{said}");
    assert_eq!(service.stop(), Some(0));
}

#[test]
fn a_reply_under_way_does_not_keep_the_service_for_ever() {
    let served = Desk::new("");
    let slow =
        "cassette: 1\nagents:\n  llm:\n    - chunks: [{ text: Guten }, { text: Tag, after_ms: 600000 }]\n";
    served.write("tape.yaml", slow);
    let mut service = Program::start(&mut served.command(&["llm-serve", "--listen", "127.0.0.1:0"]));
    let address = service.told("listening on ");
    let provider = format!("  far: {{ type: grpc, base_url: \"http://{address}\", model: tape/any }}\n");
    let asking = Desk::new(&provider);
    let client = Program::start(&mut asking.command(&["llm", "--provider", "far", "--json", "Hello?"]));
    client.told("{\"text\":\"Guten\"}");
    assert_eq!(service.stop(), Some(0));
    client.told("(network)");
}
