//! The models of a configuration: caching and fallbacks.

use std::fs;
use std::sync::Arc;

use tarsy_config::{Config, Environment};
use tarsy_domain::ModelFailureKind;
use tarsy_engine::Models;
use tarsy_llm::{Assembly, ModelRequest, NativeTools, Tags, collect};
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
    let agent = models.config().resolved_chain(chain).unwrap().stages.remove(0).agents.remove(0);
    let tags = Tags { turn: 1, ..Tags::default() };
    let request = ModelRequest {
        stop_sequences: &[],
        messages: Vec::new(),
        tools: Arc::new([]),
        native_tools: NativeTools::default(),
        tags,
    };
    collect(models.chain(&agent).unwrap().stream(request)).await.unwrap()
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
