//! Models out of a configuration: made once, and in line behind each other.

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

/// What the agent of a chain hears.
async fn asked(models: &Models, chain: &str) -> Assembly {
    let agent = models.config().resolved_chain(chain).unwrap().stages.remove(0).agents.remove(0);
    let tags = Tags { turn: 1, ..Tags::default() };
    let request = ModelRequest {
        messages: Vec::new(),
        tools: Arc::new([]),
        native_tools: NativeTools::default(),
        tags,
    };
    collect(models.chain(&agent).unwrap().stream(request)).await.unwrap()
}

#[tokio::test]
async fn a_provider_that_fails_and_one_without_its_key_are_passed_over_and_named() {
    let (_folder, models) = models();
    let answer = asked(&models, "falls-back").await;
    assert_eq!(answer.reply.text, "Guten Tag.");
    let failed = |(origin, failure): &(tarsy_llm::Origin, tarsy_domain::ModelFailure)| {
        (origin.provider.clone(), failure.kind, failure.message.clone())
    };
    let expected = [
        ("overloaded", ModelFailureKind::Overloaded, "Too much to do."),
        ("keyless", ModelFailureKind::Credentials, "provider `keyless` cannot be used without NO_SUCH_KEY"),
    ];
    let expected = expected.map(|(provider, kind, message)| (provider.to_owned(), kind, message.to_owned()));
    assert_eq!(answer.failed.iter().map(failed).collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_model_without_fallbacks_answers_alone() {
    let (_folder, models) = models();
    assert_eq!(asked(&models, "alone").await.reply.text, "Guten Tag.");
}

#[test]
fn an_agent_none_of_whose_providers_can_be_used_has_no_model() {
    let (_folder, models) = models();
    let agent = models.config().resolved_chain("cannot").unwrap().stages.remove(0).agents.remove(0);
    let error = models.chain(&agent).err().unwrap();
    assert_eq!(error.in_full(), "provider `keyless` cannot be used without NO_SUCH_KEY");
}

#[test]
fn a_model_is_made_once_for_each_name() {
    let (_folder, models) = models();
    let first = models.model("compatible").unwrap();
    assert!(Arc::ptr_eq(&first, &models.model("compatible").unwrap()));
    let other = models.named_model("compatible", "large").unwrap();
    assert!(!Arc::ptr_eq(&first, &other));
    assert_eq!(other.origin().to_string(), "compatible (large)");
}

#[test]
fn what_is_wrong_with_a_provider_is_said_in_full() {
    let (_folder, models) = models();
    let said = models.model("lost").err().unwrap().in_full();
    assert!(said.starts_with("provider `lost`: ") && said.contains("lost.yaml"), "{said}");
    let said = models.model("nobody").err().unwrap().in_full();
    assert!(said.starts_with("there is no provider `nobody`; there are: anthropic-default, "), "{said}");
}
