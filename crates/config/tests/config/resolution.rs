//! Precedence of the levels, as tables of settings per level and the effective value.

use std::fs;
use std::time::Duration;

use serde_json::Value;
use tarsy_config::file::{NativeToolsConfig, ResolvedRetry};
use tarsy_config::{Config, Environment};

/// The levels of one chain with one stage; a case sets some of them. Keys are written as YAML flow entries.
#[derive(Default)]
struct Levels {
    defaults: &'static str,
    agent: &'static str,
    chain: &'static str,
    stage: &'static str,
    own: &'static str,
}

fn resolve(levels: &Levels, environment: &Environment) -> Value {
    let Levels { defaults, agent, chain, stage, own } = levels;
    let text = format!(
        "
defaults: {{{defaults}}}
mcp_servers:
  s1: {{transport: {{type: stdio, command: x}}}}
  s2: {{transport: {{type: stdio, command: x}}}}
  s3: {{transport: {{type: stdio, command: x}}}}
  s4: {{transport: {{type: stdio, command: x}}}}
agents:
  A: {{{agent}}}
agent_chains:
  c:
    alert_types: [T]
    {chain}
    stages: [{{name: s, agents: [{{name: A{own}}}]{stage}}}]
"
    );
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("tarsy.yaml"), &text).unwrap();
    let config = Config::load(Some(directory.path()), environment)
        .unwrap_or_else(|errors| panic!("{text}\n{errors}"))
        .config;
    serde_json::to_value(config.chain_for_alert_type("T").unwrap()).unwrap()
}

macro_rules! levels {
    ($($field:ident: $value:literal),* $(,)?) => { Levels { $($field: $value,)* ..Levels::default() } };
}

type PrecedenceCase = (Levels, &'static str, &'static str, &'static str);

const AGENT: &str = "/stages/0/agents/0";
const POLICY: &str = "/stages/0/success_policy";

/// Checks every case: the levels, a JSON pointer into the resolved chain, a key, and its expected value.
fn check(table: &[PrecedenceCase]) {
    for (levels, at, key, expected) in table {
        let chain = resolve(levels, &Environment::default());
        let value = chain.pointer(at).map(|found| if key.is_empty() { found } else { &found[*key] }).unwrap();
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let Levels { defaults, agent, chain, stage, own } = levels;
        assert_eq!(text, *expected, "{key} for [{defaults}] [{agent}] [{chain}] [{stage}] [{own}]");
    }
}

#[test]
fn the_prompt_profile_comes_from_the_highest_level_that_sets_it() {
    check(&[
        (levels! {}, AGENT, "prompt_profile", "null"),
        (levels! { defaults: "prompt_profile: compact" }, AGENT, "prompt_profile", "compact"),
        (
            levels! { defaults: "prompt_profile: compact", agent: "prompt_profile: full" },
            AGENT,
            "prompt_profile",
            "full",
        ),
        (
            levels! { agent: "prompt_profile: full", own: ", prompt_profile: compact" },
            AGENT,
            "prompt_profile",
            "compact",
        ),
    ]);
}

#[test]
fn the_context_window_of_a_provider_falls_back_to_the_model_catalog() {
    let text = "
models: { house-*: { context_window: 9000 } }
llm_providers:
  known: { type: openai-compatible, base_url: 'http://127.0.0.1:1/v1', model: house-1 }
  set: { type: openai-compatible, base_url: 'http://127.0.0.1:1/v1', model: house-1, context_window: 5000 }
  unknown: { type: openai-compatible, base_url: 'http://127.0.0.1:1/v1', model: other-model }
";
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("tarsy.yaml"), text).unwrap();
    let config = Config::load(Some(directory.path()), &Environment::default()).unwrap().config;
    let windows = ["known", "set", "unknown", "missing"].map(|name| config.context_window(name));
    assert_eq!(windows, [Some(9000), Some(5000), None, None]);
}

#[test]
#[rustfmt::skip]
fn the_strategy_comes_from_defaults_agent_stage_and_stage_agent() {
    check(&[
        // strategy: defaults, agent, stage, stage agent
        (levels! {}, AGENT, "iteration_strategy", "react"),
        (levels! { defaults: "iteration_strategy: single-call" }, AGENT, "iteration_strategy", "single-call"),
        (levels! { defaults: "iteration_strategy: single-call", agent: "iteration_strategy: react-stage" }, AGENT, "iteration_strategy", "react-stage"),
        (levels! { agent: "iteration_strategy: react-stage", stage: ", iteration_strategy: native-thinking" }, AGENT, "iteration_strategy", "native-thinking"),
        (levels! { stage: ", iteration_strategy: native-thinking", own: ", iteration_strategy: react" }, AGENT, "iteration_strategy", "react"),
        // a backend without a strategy implies function calling
        (levels! { defaults: "llm_backend: langchain" }, AGENT, "iteration_strategy", "native-thinking"),
        (levels! { agent: "llm_backend: google-native" }, AGENT, "iteration_strategy", "native-thinking"),
        (levels! { chain: "llm_backend: google-native" }, AGENT, "iteration_strategy", "native-thinking"),
        (levels! { chain: "llm_backend: google-native", agent: "iteration_strategy: react" }, AGENT, "iteration_strategy", "react"),
        (levels! { defaults: "llm_backend: langchain", agent: "iteration_strategy: react" }, AGENT, "iteration_strategy", "react"),
        (levels! { defaults: "llm_backend: langchain, iteration_strategy: react" }, AGENT, "iteration_strategy", "react"),
        (levels! { stage: ", iteration_strategy: react", own: ", llm_backend: langchain" }, AGENT, "iteration_strategy", "native-thinking"),
    ]);
}

#[test]
#[rustfmt::skip]
fn the_backend_and_the_provider_come_from_the_highest_level() {
    check(&[
        // backend: defaults, agent, chain, stage agent
        (levels! {}, AGENT, "llm_backend", "langchain"),
        (levels! { defaults: "llm_backend: google-native" }, AGENT, "llm_backend", "google-native"),
        (levels! { defaults: "llm_backend: google-native", agent: "llm_backend: langchain" }, AGENT, "llm_backend", "langchain"),
        (levels! { agent: "llm_backend: langchain", chain: "llm_backend: google-native" }, AGENT, "llm_backend", "google-native"),
        (levels! { chain: "llm_backend: google-native", own: ", llm_backend: langchain" }, AGENT, "llm_backend", "langchain"),
        // provider: defaults, chain, stage, stage agent
        (levels! {}, AGENT, "llm_provider", "google-default"),
        (levels! { defaults: "llm_provider: xai-default" }, AGENT, "llm_provider", "xai-default"),
        (levels! { defaults: "llm_provider: xai-default" }, AGENT, "model", "grok-4.6"),
        (levels! { defaults: "llm_provider: xai-default", chain: "llm_provider: openai-default" }, AGENT, "llm_provider", "openai-default"),
        (levels! { chain: "llm_provider: openai-default", stage: ", llm_provider: anthropic-default" }, AGENT, "llm_provider", "anthropic-default"),
        (levels! { stage: ", llm_provider: anthropic-default", own: ", llm_provider: vertexai-default" }, AGENT, "llm_provider", "vertexai-default"),
    ]);
}

#[test]
#[rustfmt::skip]
fn limits_come_from_the_highest_level() {
    check(&[
        // max_iterations: defaults, agent, chain, stage, stage agent
        (levels! {}, AGENT, "max_iterations", "20"),
        (levels! { defaults: "max_iterations: 1" }, AGENT, "max_iterations", "1"),
        (levels! { defaults: "max_iterations: 1", agent: "max_iterations: 2" }, AGENT, "max_iterations", "2"),
        (levels! { agent: "max_iterations: 2", chain: "max_iterations: 3" }, AGENT, "max_iterations", "3"),
        (levels! { chain: "max_iterations: 3", stage: ", max_iterations: 4" }, AGENT, "max_iterations", "4"),
        (levels! { stage: ", max_iterations: 4", own: ", max_iterations: 5" }, AGENT, "max_iterations", "5"),
        // iteration_timeout: the same levels
        (levels! {}, AGENT, "iteration_timeout", "6m"),
        (levels! { defaults: "iteration_timeout: 10" }, AGENT, "iteration_timeout", "10s"),
        (levels! { defaults: "iteration_timeout: 10", agent: "iteration_timeout: 20" }, AGENT, "iteration_timeout", "20s"),
        (levels! { agent: "iteration_timeout: 20", chain: "iteration_timeout: 30" }, AGENT, "iteration_timeout", "30s"),
        (levels! { chain: "iteration_timeout: 30", stage: ", iteration_timeout: 40" }, AGENT, "iteration_timeout", "40s"),
        (levels! { stage: ", iteration_timeout: 40", own: ", iteration_timeout: 50" }, AGENT, "iteration_timeout", "50s"),
    ]);
}

#[test]
#[rustfmt::skip]
fn servers_and_fallback_providers_are_replaced_completely() {
    check(&[
        // servers: agent, chain, stage, stage agent
        (levels! {}, AGENT, "mcp_servers", "[]"),
        (levels! { agent: "mcp_servers: [s1]" }, AGENT, "mcp_servers", r#"["s1"]"#),
        (levels! { agent: "mcp_servers: [s1]", chain: "mcp_servers: [s2, s3]" }, AGENT, "mcp_servers", r#"["s2","s3"]"#),
        (levels! { chain: "mcp_servers: [s2]", stage: ", mcp_servers: [s3]" }, AGENT, "mcp_servers", r#"["s3"]"#),
        (levels! { stage: ", mcp_servers: [s3]", own: ", mcp_servers: [s4]" }, AGENT, "mcp_servers", r#"["s4"]"#),
        (levels! { agent: "mcp_servers: [s1]", own: ", mcp_servers: []" }, AGENT, "mcp_servers", "[]"),
        // fallback providers: defaults, chain, stage, stage agent; an empty list clears
        (levels! {}, AGENT, "fallback_providers", "[]"),
        (levels! { defaults: "fallback_providers: [{provider: xai-default}]" }, AGENT, "fallback_providers", r#"[{"provider":"xai-default"}]"#),
        (levels! { defaults: "fallback_providers: [{provider: xai-default}]", chain: "fallback_providers: []" }, AGENT, "fallback_providers", "[]"),
        (levels! { chain: "fallback_providers: []", stage: ", fallback_providers: [{provider: openai-default, backend: langchain}]" }, AGENT, "fallback_providers", r#"[{"provider":"openai-default","backend":"langchain"}]"#),
        (levels! { stage: ", fallback_providers: [{provider: openai-default}]", own: ", fallback_providers: []" }, AGENT, "fallback_providers", "[]"),
    ]);
}

#[test]
#[rustfmt::skip]
fn other_settings_have_their_own_precedence() {
    check(&[
        // success policy: any, defaults, stage
        (levels! {}, POLICY, "", "any"),
        (levels! { defaults: "success_policy: all" }, POLICY, "", "all"),
        (levels! { defaults: "success_policy: all", stage: ", success_policy: any" }, POLICY, "", "any"),
        // native tools: provider, agent, merged tool by tool
        (levels! { agent: "native_tools: {google_search: true}" }, AGENT, "native_tools", r#"{"google_search":true}"#),
        // chat: its block, the servers of the stages, the agent
        (levels! {}, "/chat", "agent", "ChatAgent"),
        (levels! { agent: "mcp_servers: [s1]" }, "/chat", "mcp_servers", r#"["s1"]"#),
        (levels! { agent: "mcp_servers: [s1]", chain: "chat: {mcp_servers: [s2], max_iterations: 3}" }, "/chat", "mcp_servers", r#"["s2"]"#),
        (levels! { chain: "chat: {agent: A}", agent: "iteration_strategy: react-stage" }, "/chat", "iteration_strategy", "react-stage"),
        (levels! { chain: "chat: {agent: A, iteration_strategy: react}", agent: "iteration_strategy: react-stage" }, "/chat", "iteration_strategy", "react"),
        (levels! { chain: "chat: {llm_provider: xai-default}", defaults: "llm_provider: openai-default" }, "/chat", "llm_provider", "xai-default"),
        (levels! { chain: "chat: {enabled: false}" }, "/chat", "", "null"),
        // executive summary: its own provider, the provider of the chain, the default; never a strategy of
        // another level
        (levels! { defaults: "iteration_strategy: react" }, "/executive_summary", "iteration_strategy", "single-call"),
        (levels! { chain: "llm_provider: xai-default" }, "/executive_summary", "llm_provider", "xai-default"),
        (levels! { chain: "executive_summary_provider: openai-default" }, "/executive_summary", "llm_provider", "openai-default"),
        (levels! { chain: "mcp_servers: [s1]" }, "/executive_summary", "mcp_servers", "[]"),
        // synthesis: only with several agents
        (levels! {}, "/stages/0/synthesis", "", "null"),
        // token budget: defaults, chain
        (levels! { defaults: "token_budget: 5" }, "/token_budget", "", "5"),
        (levels! { defaults: "token_budget: 5", chain: "token_budget: 6" }, "/token_budget", "", "6"),
    ]);
}

#[test]
fn several_agents_get_a_synthesis() {
    #[rustfmt::skip]
    let table = [
        ("", "SynthesisAgent", "synthesis", "google-default"),
        (", iteration_strategy: react", "SynthesisAgent", "synthesis", "google-default"),
        (", synthesis: {agent: Merger}", "Merger", "synthesis", "google-default"),
        (", synthesis: {llm_backend: google-native}", "SynthesisAgent", "synthesis-native-thinking", "google-default"),
        (", synthesis: {iteration_strategy: single-call}", "SynthesisAgent", "single-call", "google-default"),
        (", llm_provider: xai-default", "SynthesisAgent", "synthesis", "xai-default"),
        (", llm_provider: xai-default, synthesis: {llm_provider: openai-default}", "SynthesisAgent", "synthesis", "openai-default"),
    ];
    for (stage, agent, strategy, provider) in table {
        let text = format!(
            "agents: {{Merger: {{}}}}\nagent_chains: {{c: {{alert_types: [T], stages: [{{name: s, agent: KubernetesAgent, replicas: 3{stage}}}]}}}}"
        );
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("tarsy.yaml"), &text).unwrap();
        let config = Config::load(Some(directory.path()), &Environment::default())
            .unwrap_or_else(|errors| panic!("{errors}"))
            .config;
        let resolved = config.resolved_chain("c").unwrap();
        let names: Vec<_> = resolved.stages[0].agents.iter().map(|agent| agent.name.as_str()).collect();
        assert_eq!(names, ["KubernetesAgent-1", "KubernetesAgent-2", "KubernetesAgent-3"]);
        let synthesis = resolved.stages[0].synthesis.as_ref().unwrap();
        assert_eq!(
            (
                synthesis.agent.as_str(),
                synthesis.iteration_strategy.as_str(),
                synthesis.llm_provider.as_str()
            ),
            (agent, strategy, provider),
            "{stage}"
        );
        assert_eq!(synthesis.mcp_servers, Vec::<String>::new());
    }
}

#[test]
fn the_default_provider_is_the_first_that_is_ready() {
    let vertex = [
        ("GOOGLE_APPLICATION_CREDENTIALS", "x"),
        ("GOOGLE_CLOUD_PROJECT", "x"),
        ("GOOGLE_CLOUD_LOCATION", "x"),
    ];
    let compatible = [("TARSY_OPENAI_COMPATIBLE_URL", "http://x"), ("TARSY_OPENAI_COMPATIBLE_MODEL", "x")];
    let table: Vec<(Vec<(&str, &str)>, &str)> = vec![
        (vec![], "google-default"),
        (vec![("ANTHROPIC_API_KEY", "")], "google-default"),
        (vec![("ANTHROPIC_API_KEY", "x")], "anthropic-default"),
        (vec![("ANTHROPIC_API_KEY", "x"), ("XAI_API_KEY", "x")], "anthropic-default"),
        (vec![("OPENAI_API_KEY", "x"), ("GOOGLE_API_KEY", "x")], "google-default"),
        (vertex.to_vec(), "vertexai-default"),
        (vertex[..2].to_vec(), "google-default"),
        (compatible.to_vec(), "openai-compatible"),
    ];
    for (variables, expected) in table {
        let config = Config::load(None, &variables.iter().copied().collect()).unwrap().config;
        assert_eq!(config.default_provider(), expected, "{variables:?}");
    }
}

#[test]
fn a_provider_of_a_file_is_used_when_no_built_in_one_is_ready() {
    let directory = tempfile::tempdir().unwrap();
    let text = "llm_providers:\n  zeta: {type: grpc, base_url: http://x}\n  eta: {type: google, model: m, api_key_env: NOT_SET}\n";
    fs::write(directory.path().join("llm-providers.yaml"), text).unwrap();
    let config = Config::load(Some(directory.path()), &Environment::default()).unwrap().config;
    assert_eq!(config.default_provider(), "zeta");
    let environment = [("XAI_API_KEY", "x")].into_iter().collect();
    let with_key = Config::load(Some(directory.path()), &environment).unwrap().config;
    assert_eq!(with_key.default_provider(), "xai-default");
    assert_eq!(config.missing_for("eta"), ["NOT_SET"]);
}

#[test]
fn a_wildcard_chain_handles_alert_types_that_no_chain_lists() {
    let directory = tempfile::tempdir().unwrap();
    let text = "defaults: {alert_type: Unheard}\nagent_chains:\n  rest:\n    alert_types: [\"*\", Mine]\n    \
                stages: [{name: look, agent: KubernetesAgent}]\n";
    fs::write(directory.path().join("tarsy.yaml"), text).unwrap();
    let loaded = Config::load(Some(directory.path()), &Environment::default()).unwrap();
    assert_eq!(loaded.warnings, []);
    let chain = |alert_type: &str| loaded.config.chain_for_alert_type(alert_type).unwrap().id;
    assert_eq!(
        ["Mine", "Unheard", "PodFailure"].map(chain),
        ["rest", "rest", "kubernetes-troubleshooting-chain"]
    );
    assert!(!loaded.config.alert_types().iter().any(|named| named == "*"));
}

#[test]
fn an_alert_can_choose_its_servers() {
    let mut chain = Config::load(None, &Environment::default())
        .unwrap()
        .config
        .chain_for_alert_type("PodFailure")
        .unwrap();
    chain.choose_servers(&["mine".to_owned()]);
    let agents = chain.stages.iter().flat_map(|stage| &stage.agents).chain(&chain.chat);
    assert!(agents.into_iter().all(|agent| agent.mcp_servers == ["mine"]));
}

#[test]
fn an_alert_can_choose_vendor_tools_individually() {
    let loaded = Config::load(None, &Environment::default()).unwrap();
    let mut chain = loaded.config.chain_for_alert_type("PodFailure").unwrap();
    let before = chain.stages[0].agents[0].native_tools;
    chain.choose_native_tools(NativeToolsConfig {
        code_execution: Some(true),
        ..NativeToolsConfig::default()
    });
    let agents = chain.stages.iter().flat_map(|stage| &stage.agents).chain(&chain.chat);
    let expected = NativeToolsConfig { code_execution: Some(true), ..before };
    assert!(agents.into_iter().all(|agent| agent.native_tools == expected));
}

#[test]
fn retry_settings_come_from_the_provider_then_from_the_defaults() {
    let directory = tempfile::tempdir().unwrap();
    let text = "
defaults: {retry: {max_attempts: 2, initial_pause: 500ms}}
llm_providers:
  plain: {type: google, model: m}
  patient: {type: google, model: m, retry: {max_attempts: 9, max_pause: 2m, total_time: 10m}}
";
    fs::write(directory.path().join("tarsy.yaml"), text).unwrap();
    let config = Config::load(Some(directory.path()), &Environment::default()).unwrap().config;
    let retry = |name: &str| config.retry_of(&config.providers()[name]);
    let plain = ResolvedRetry {
        max_attempts: 2,
        initial_pause: Duration::from_millis(500),
        max_pause: Duration::from_secs(90),
        total_time: None,
        breaker_failures: 5,
        breaker_pause: Duration::from_secs(30),
    };
    assert_eq!(retry("plain"), plain);
    let patient = ResolvedRetry {
        max_attempts: 9,
        max_pause: Duration::from_secs(120),
        total_time: Some(Duration::from_secs(600)),
        ..plain
    };
    assert_eq!(retry("patient"), patient);
    let built_in = Config::load(None, &Environment::default()).unwrap().config;
    let built_in = built_in.retry_of(&built_in.providers()["google-default"]);
    assert_eq!((built_in.max_attempts, built_in.initial_pause), (4, Duration::from_secs(1)));
}

#[test]
fn models_extend_the_built_in_table() {
    let directory = tempfile::tempdir().unwrap();
    let text = "
models:
  my-*: {context_window: 64000, thinking: {style: none}, price: {input: 0.25}}
  my-large*: {context_window: 128000}
";
    fs::write(directory.path().join("tarsy.yaml"), text).unwrap();
    let config = Config::load(Some(directory.path()), &Environment::default()).unwrap().config;
    let windows =
        ["my-small", "my-large-2", "other"].map(|model| config.model_catalog().lookup(model).context_window);
    assert_eq!(windows, [Some(64_000), Some(128_000), None]);
    assert_eq!(config.model_catalog().lookup("my-large-2").price.input, Some(0.25));
    assert_eq!(config.view()["models"]["my-*"]["price"]["input"], 0.25);
}

#[test]
fn the_strategy_of_a_stage_applies_to_a_synthesis_if_it_merges() {
    let text = "
agents:
  Merger: {type: synthesis, iteration_strategy: synthesis}
  Writer: {type: exec_summary}
agent_chains:
  c:
    alert_types: [T]
    stages:
      - {name: a, agent: Merger}
      - {name: b, agent: Merger, iteration_strategy: synthesis-native-thinking}
      - {name: c, agents: [{name: Merger, iteration_strategy: synthesis}], iteration_strategy: synthesis-native-thinking}
      - {name: d, agent: KubernetesAgent, replicas: 2, iteration_strategy: react-stage}
      - {name: e, agents: [{name: KubernetesAgent, iteration_strategy: react}, {name: KubernetesAgent, iteration_strategy: react}], iteration_strategy: synthesis-native-thinking}
      - {name: f, agent: Writer, iteration_strategy: single-call}
";
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("tarsy.yaml"), text).unwrap();
    let config = Config::load(Some(directory.path()), &Environment::default())
        .unwrap_or_else(|errors| panic!("{errors}"))
        .config;
    let chain = config.resolved_chain("c").unwrap();
    let strategies: Vec<String> = chain
        .stages
        .iter()
        .map(|stage| {
            let agents = stage.agents.iter().chain(&stage.synthesis);
            agents.map(|agent| agent.iteration_strategy.as_str()).collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(
        strategies,
        [
            "synthesis",
            "synthesis-native-thinking",
            "synthesis",
            "react-stage react-stage synthesis",
            "react react synthesis-native-thinking",
            "single-call",
        ]
    );
}
