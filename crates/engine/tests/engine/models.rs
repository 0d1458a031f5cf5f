//! The models of a configuration: caching and fallbacks.

use std::fs;
use std::sync::Arc;

use tarsy_config::{Config, Environment};
use tarsy_domain::ModelFailureKind;
use tarsy_engine::Models;
use tarsy_llm::{Assembly, Model, ModelRequest, NativeTools, Tags, collect};
use tarsy_testkit::{ModelServer, ScriptedReply, ScriptedRequest};
use tempfile::TempDir;

const OVERLOADED: &str =
    "cassette: 1\nagents:\n  '*':\n    - error: { kind: overloaded, message: Too much to do. }\n";
const TALKS: &str = "cassette: 1\nagents:\n  '*':\n    - chunks: [{ text: Guten Tag. }]\n";
const TARSY: &str = "
agent_chains:
  falls-back:
    alert_types: [a]
    llm_provider: overloaded
    fallback_providers: [{ provider: keyless }, { provider: talks }]
    stages: [{ name: s, agent: KubernetesAgent }]
  cannot:
    alert_types: [b]
    llm_provider: keyless
    fallback_providers: [{ provider: openai-default }]
    stages: [{ name: s, agent: KubernetesAgent }]
  alone:
    alert_types: [c]
    llm_provider: talks
    stages: [{ name: s, agent: KubernetesAgent }]
";
const PROVIDERS: &str = "
llm_providers:
  overloaded: { type: replay, cassette: overloaded.yaml }
  talks: { type: replay, cassette: talks.yaml }
  lost: { type: replay, cassette: lost.yaml }
  keyless: { type: anthropic, model: some, api_key_env: NO_SUCH_KEY }
  compatible: { type: openai-compatible, model: small, base_url: 'http://127.0.0.1:9/v1' }
";

fn models() -> (TempDir, Models) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("tarsy.yaml", TARSY),
        ("llm-providers.yaml", PROVIDERS),
        ("overloaded.yaml", OVERLOADED),
        ("talks.yaml", TALKS),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let environment = Environment::default();
    let config = Config::load(Some(folder.path()), &environment).unwrap().config;
    (folder, Models::new(Arc::new(config), Arc::new(environment)))
}

/// Calls the model of the first agent of a chain.
async fn call(models: &Models, chain: &str) -> Assembly {
    collect(model_of(models, chain).stream(request())).await.unwrap()
}

/// Returns the model of the first agent of a chain.
fn model_of(models: &Models, chain: &str) -> Arc<dyn Model> {
    let agent = models.config().resolved_chain(chain).unwrap().stages.remove(0).agents.remove(0);
    models.chain(&agent).unwrap()
}

fn request() -> ModelRequest {
    ModelRequest {
        stop_sequences: &[],
        messages: Vec::new(),
        tools: Arc::new([]),
        native_tools: NativeTools::default(),
        tags: Tags { turn: 1, ..Tags::default() },
    }
}

#[tokio::test]
async fn falls_back_from_failed_and_unusable_providers() {
    let (_folder, models) = models();
    let assembly = call(&models, "falls-back").await;
    assert_eq!(assembly.reply.text, "Guten Tag.");
    let failed = |(origin, failure): &(tarsy_llm::Origin, tarsy_domain::ModelFailure)| {
        (origin.provider.clone(), failure.kind, failure.message.clone())
    };
    let expected = [
        ("overloaded", ModelFailureKind::Overloaded, "Too much to do."),
        ("keyless", ModelFailureKind::Credentials, "provider `keyless` cannot be used without NO_SUCH_KEY"),
    ];
    let expected = expected.map(|(provider, kind, message)| (provider.to_owned(), kind, message.to_owned()));
    assert_eq!(assembly.failed.iter().map(failed).collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_model_without_fallbacks_is_used_directly() {
    let (_folder, models) = models();
    assert_eq!(call(&models, "alone").await.reply.text, "Guten Tag.");
}

#[test]
fn an_agent_without_a_usable_provider_has_no_model() {
    let (_folder, models) = models();
    let agent = models.config().resolved_chain("cannot").unwrap().stages.remove(0).agents.remove(0);
    let error = models.chain(&agent).err().unwrap();
    assert_eq!(error.in_full(), "provider `keyless` cannot be used without NO_SUCH_KEY");
}

#[test]
fn builds_each_model_once() {
    let (_folder, models) = models();
    let first = models.model("compatible").unwrap();
    assert!(Arc::ptr_eq(&first, &models.model("compatible").unwrap()));
    let other = models.named_model("compatible", "large").unwrap();
    assert!(!Arc::ptr_eq(&first, &other));
    assert_eq!(other.origin().to_string(), "compatible (large)");
}

#[test]
fn setup_errors_include_their_causes() {
    let (_folder, models) = models();
    let error = models.model("lost").err().unwrap().in_full();
    assert!(error.starts_with("provider `lost`: ") && error.contains("lost.yaml"), "{error}");
    let error = models.model("missing").err().unwrap().in_full();
    assert!(error.starts_with("there is no provider `missing`; there are: anthropic-default, "), "{error}");
}

/// Returns models whose provider `down` responds with errors, and `up` with a text. Retries have no pauses.
async fn models_with_a_dead_provider() -> (TempDir, ModelServer, Models) {
    let server = ModelServer::start(|request: &ScriptedRequest| match request.model.as_str() {
        "down" => ScriptedReply::Error(503),
        _ => ScriptedReply::Text("Guten Tag.".to_owned()),
    });
    let server = server.await;
    let folder = tempfile::tempdir().unwrap();
    let provider = |name: &str| {
        format!("  {name}: {{ type: openai-compatible, base_url: '{}', model: {name} }}\n", server.url)
    };
    let chain = |name: &str, more: &str| {
        format!(
            "  {name}: {{ alert_types: [{name}], llm_provider: down{more}, stages: [{{ name: s, agent: KubernetesAgent }}] }}\n"
        )
    };
    let tarsy = format!(
        "defaults: {{ retry: {{ initial_pause: 1ms, breaker_pause: 1h }} }}\nagent_chains:\n{}{}",
        chain("alone", ""),
        chain("falls-back", ", fallback_providers: [{ provider: up }]")
    );
    fs::write(folder.path().join("tarsy.yaml"), tarsy).unwrap();
    let providers = format!("llm_providers:\n{}{}", provider("down"), provider("up"));
    fs::write(folder.path().join("llm-providers.yaml"), providers).unwrap();
    let environment = Environment::default();
    let config = Config::load(Some(folder.path()), &environment).unwrap().config;
    (folder, server, Models::new(Arc::new(config), Arc::new(environment)))
}

fn requests_of(server: &ModelServer, model: &str) -> usize {
    server.log().iter().filter(|request| request.model == model).count()
}

#[tokio::test]
async fn twenty_calls_of_a_dead_provider_are_five_requests() {
    let (_folder, server, models) = models_with_a_dead_provider().await;
    for _ in 0..20 {
        let error = collect(model_of(&models, "alone").stream(request())).await.unwrap_err();
        assert_eq!(error.failure.kind, ModelFailureKind::Overloaded);
    }
    assert_eq!(requests_of(&server, "down"), 5);
    // Other models of the provider, and other agents, share the breaker.
    let error = collect(models.named_model("down", "other").unwrap().stream(request())).await.unwrap_err();
    assert!(error.failure.retry_after_ms.is_some_and(|delay| delay > 3_000_000), "{error:?}");
    assert_eq!(requests_of(&server, "other"), 0);
}

#[tokio::test]
async fn a_dead_provider_does_not_delay_its_fallback() {
    let (_folder, server, models) = models_with_a_dead_provider().await;
    for _ in 0..20 {
        assert_eq!(call(&models, "falls-back").await.reply.text, "Guten Tag.");
    }
    assert_eq!((requests_of(&server, "down"), requests_of(&server, "up")), (5, 20));
}
