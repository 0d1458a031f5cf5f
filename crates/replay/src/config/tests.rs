//! The configuration of a replay equals that of the recorded session, without external services.

use tarsy_config::file::ProviderType;

use super::*;
use crate::fixture::cassette;
use crate::recording::Recording;

fn recording(cassette: &Value) -> Recording {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.json");
    fs::write(&path, cassette.to_string()).unwrap();
    Recording::load(&path).unwrap()
}

fn load(cassette: &Value, directory: &Path) -> Result<Config, ReplayConfigError> {
    let recording = recording(cassette);
    let replay = ReplayConfig { recording: &recording, program: Path::new("/opt/${odd}/tarsy") };
    replay.load(directory).map(|loaded| loaded.config)
}

#[test]
fn every_provider_plays_the_recording() {
    let directory = tempfile::tempdir().unwrap();
    let config = load(&cassette(), directory.path()).unwrap();
    for name in ["google-default", "openai-default", "anthropic-default"] {
        let provider = &config.providers()[name];
        assert_eq!(provider.r#type, ProviderType::Replay, "{name}");
        assert!(config.missing_for(name).is_empty(), "{name}");
    }
    let google = &config.providers()["google-default"];
    assert_eq!((google.context_window, google.max_tool_result_tokens), (Some(1000), Some(50)));
    let played = fs::read_to_string(directory.path().join(FILE)).unwrap();
    assert!(!played.contains("after_ms"), "pauses are removed: {played}");
}

#[test]
fn every_server_is_a_process_that_returns_recorded_results() {
    let directory = tempfile::tempdir().unwrap();
    let config = load(&cassette(), directory.path()).unwrap();
    let server = &config.mcp_servers()["shed"];
    assert_eq!(server.transport.command.as_deref(), Some("/opt/${odd}/tarsy"));
    let arguments = server.transport.args.iter().flatten().map(|one| one.expose().to_owned());
    let file = directory.path().join(FILE).display().to_string();
    assert_eq!(
        arguments.collect::<Vec<_>>(),
        ["replay-tools", "--server=shed", "--agent={{.SESSION_AGENT}}", "--", &file]
    );
    assert!(!server.data_masking.as_ref().unwrap().enabled, "recorded texts are masked already");
    let summarization = &server.summarization;
    assert_eq!((summarization.enabled, summarization.size_threshold_tokens), (false, 70));
}

#[test]
fn recorded_texts_are_not_interpreted() {
    let directory = tempfile::tempdir().unwrap();
    let config = load(&cassette(), directory.path()).unwrap();
    assert_eq!(config.defaults().runbook.as_deref(), Some(" Look at ${LOG} and {{.LOG}}.\n"));
    let instructions = config.mcp_servers()["shed"].instructions.as_deref();
    assert_eq!(instructions, Some("Read ${1} of {{.LOG}}: \"all\"."));
    assert_eq!(config.templates()[0].name, "parts/alert.md.j2");
}

#[test]
fn rejects_prompt_names_outside_the_prompt_directory() {
    for name in ["../tarsy.yaml", "/etc/passwd", "a/../../b.md.j2", ""] {
        let directory = tempfile::tempdir().unwrap();
        let mut cassette = cassette();
        cassette["session"]["prompts"] = json!({ name: "x" });
        let error = load(&cassette, directory.path()).unwrap_err();
        assert!(matches!(error, ReplayConfigError::Prompt(_)), "{name}: {error}");
    }
}
