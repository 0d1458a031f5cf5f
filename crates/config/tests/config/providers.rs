//! Model providers: timeouts that depend on where a model runs, backends, and API keys.

use std::fs;
use std::time::Duration;

use tarsy_config::file::LlmBackend;
use tarsy_config::{Config, Environment, Loaded, ResolvedAgent};

const PROVIDERS: &str = "
llm_providers:
  hosted: { type: openai, model: m }
  compatible: { type: openai-compatible, base_url: 'https://models.example.com/v1', model: m }
  near: { type: anthropic, base_url: 'http://gpu:8000', model: m }
  far: { type: anthropic, base_url: 'https://claude.example.com', model: m }
  set: { type: openai-compatible, base_url: 'http://127.0.0.1:1/v1', model: m, first_chunk_timeout: 30s, stall_timeout: 5s }
  slow: { type: openai, model: m, first_chunk_timeout: 30m }
  google: { type: google, model: m }
  service: { type: grpc, base_url: 'http://llm.example.com', model: google/gemini-3-pro }
  other-service: { type: grpc, base_url: 'http://llm.example.com', model: anthropic/claude }
";

fn load(main: &str, environment: &Environment) -> Loaded {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("llm-providers.yaml"), PROVIDERS).unwrap();
    fs::write(directory.path().join("tarsy.yaml"), main).unwrap();
    Config::load(Some(directory.path()), environment).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Returns the agent of a chain with one stage, whose agent has these settings.
fn agent(settings: &str) -> ResolvedAgent {
    let main = format!(
        "agent_chains: {{ c: {{ alert_types: [a], stages: [{{ name: s, agents: [{{ name: KubernetesAgent, {settings} }}] }}] }} }}"
    );
    let config = load(&main, &Environment::default()).config;
    config.resolved_chain("c").unwrap().stages.remove(0).agents.remove(0)
}

#[test]
fn local_models_have_more_time() {
    let config = load("{}", &Environment::default()).config;
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    for (name, first_chunk, stall, call) in [
        ("hosted", minutes(5), minutes(1), minutes(6)),
        ("far", minutes(5), minutes(1), minutes(6)),
        ("compatible", minutes(10), minutes(5), minutes(20)),
        ("near", minutes(10), minutes(5), minutes(20)),
        ("set", Duration::from_secs(30), Duration::from_secs(5), minutes(20)),
        ("slow", minutes(30), minutes(1), minutes(31)),
    ] {
        let provider = &config.providers()[name];
        assert_eq!(provider.first_chunk_timeout().duration(), first_chunk, "{name}");
        assert_eq!(provider.stall_timeout().duration(), stall, "{name}");
        let agent = agent(&format!("llm_provider: {name}"));
        assert_eq!(agent.iteration_timeout.duration(), call, "{name}");
    }
    let explicit = agent("llm_provider: compatible, iteration_timeout: 90s");
    assert_eq!(explicit.iteration_timeout.duration(), Duration::from_secs(90));
}

#[test]
fn a_strategy_implies_its_backend() {
    let native = ", iteration_strategy: native-thinking";
    for (settings, expected) in [
        ("llm_provider: google".to_owned(), LlmBackend::Langchain),
        (format!("llm_provider: google{native}"), LlmBackend::GoogleNative),
        (format!("llm_provider: service{native}"), LlmBackend::GoogleNative),
        (format!("llm_provider: other-service{native}"), LlmBackend::Langchain),
        (format!("llm_provider: hosted{native}"), LlmBackend::Langchain),
        (format!("llm_provider: service{native}, llm_backend: langchain"), LlmBackend::Langchain),
        ("llm_provider: service, iteration_strategy: react".to_owned(), LlmBackend::Langchain),
    ] {
        assert_eq!(agent(&settings).llm_backend, expected, "{settings}");
    }
}

#[test]
fn warns_of_api_keys_that_are_too_short_to_be_secrets() {
    let keys = [("OPENAI_API_KEY", "x"), ("ANTHROPIC_API_KEY", "12345678"), ("GOOGLE_API_KEY", "1234567")];
    let Loaded { warnings, .. } = load("{}", &Environment::from_iter(keys));
    let messages: Vec<_> = warnings.iter().map(|warning| warning.message.as_str()).collect();
    let rest = "; keys with fewer than 8 are not removed from error messages";
    let expected = [
        format!("the API key in `OPENAI_API_KEY` has 1 character{rest}"),
        format!("the API key in `GOOGLE_API_KEY` has 7 characters{rest}"),
    ];
    assert_eq!(messages, expected);
}
