//! The configuration of a replay is that of the recorded session, without anything that reaches out.

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

fn load(cassette: &Value, directory: &Path) -> Result<Config, SettingError> {
    let recording = recording(cassette);
    let setting = Setting { recording: &recording, program: Path::new("/opt/${odd}/tarsy") };
    setting.load(directory).map(|(loaded, _)| loaded.config)
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
    assert!(!played.contains("after_ms"), "it is played at once: {played}");
}

#[test]
fn every_server_is_a_program_that_answers_from_the_recording() {
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
    assert!(!server.data_masking.as_ref().unwrap().enabled, "what is recorded is masked");
    let summarization = &server.summarization;
    assert_eq!((summarization.enabled, summarization.size_threshold_tokens), (false, 70));
}

#[test]
fn texts_are_taken_as_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let config = load(&cassette(), directory.path()).unwrap();
    assert_eq!(config.defaults().runbook.as_deref(), Some(" Look at ${LOG} and {{.LOG}}.\n"));
    let instructions = config.mcp_servers()["shed"].instructions.as_deref();
    assert_eq!(instructions, Some("Read ${1} of {{.LOG}}: \"all\"."));
    assert_eq!(config.templates()[0].name, "parts/alert.md.j2");
}

#[test]
fn a_prompt_cannot_be_written_outside_of_its_folder() {
    for name in ["../tarsy.yaml", "/etc/passwd", "a/../../b.md.j2", ""] {
        let directory = tempfile::tempdir().unwrap();
        let mut cassette = cassette();
        cassette["session"]["prompts"] = json!({ name: "x" });
        let refused = load(&cassette, directory.path()).unwrap_err();
        assert!(matches!(refused, SettingError::Prompt(_)), "{name}: {refused}");
    }
}
