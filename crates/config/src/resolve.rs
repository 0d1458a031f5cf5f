//! The effective settings of a chain, computed from defaults, agent, chain, stage and stage agent.
//!
//! [`resolve`] is pure, and its result describes an investigation completely: it is stored with the session,
//! so that a later change of the configuration does not affect a running session. It contains names of
//! providers and servers, never credentials. The precedence of the levels is defined in `level`.

use serde::{Deserialize, Serialize};
use tarsy_domain::{IterationStrategy, PromptProfile, SuccessPolicy};

use crate::builtin::{CHAT_AGENT, EXEC_SUMMARY_AGENT, SYNTHESIS_AGENT};
use crate::file::{
    AgentConfig, AgentType, ChainConfig, FallbackProvider, LlmBackend, NativeToolsConfig, OnStageFailure,
    ProviderConfig, StageAgentConfig, StageConfig,
};
use crate::{Config, Period};
use level::Level;

mod level;

/// Default maximum number of model calls of an agent.
pub const DEFAULT_MAX_ITERATIONS: u32 = 20;

/// A chain with all settings resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResolvedChain {
    /// Id of the chain.
    pub id: String,
    /// Description for people.
    pub description: Option<String>,
    /// Alert types it handles.
    pub alert_types: Vec<String>,
    /// Stages, in order.
    pub stages: Vec<ResolvedStage>,
    /// The chat agent; `None` if chat is disabled.
    pub chat: Option<ResolvedAgent>,
    /// The agent that writes the executive summary.
    pub executive_summary: ResolvedAgent,
    /// What happens after a stage fails.
    pub on_stage_failure: OnStageFailure,
    /// Maximum number of tokens of one session.
    pub token_budget: Option<u64>,
    /// Version of the rules that decide when agents and sessions of this chain end.
    #[serde(default)]
    pub rules: RulesVersion,
}

/// The version of the rules under which a session was submitted. A later version of TARSy, and a replay, keep
/// to them. The default is the first version, whose sessions do not record it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RulesVersion(u32);

impl RulesVersion {
    /// An agent that concludes without a tool call is asked to call one, repeated failures of a model end a
    /// run, an agent that only repeats itself must conclude, and a session without data ends with
    /// errors.
    pub const DATA_REQUIRED: Self = Self(1);
    /// The rules of new sessions.
    pub const CURRENT: Self = Self::DATA_REQUIRED;
}

/// A stage with all settings resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResolvedStage {
    /// Name, unique in the chain.
    pub name: String,
    /// The agents that run in parallel; at least one.
    pub agents: Vec<ResolvedAgent>,
    /// When the stage succeeds.
    pub success_policy: SuccessPolicy,
    /// The agent that merges the results, if there are several agents.
    pub synthesis: Option<ResolvedAgent>,
    /// The condition under which the stage runs; validated.
    pub when: Option<String>,
    /// Timeout of the stage.
    pub timeout: Option<Period>,
}

/// An agent with all settings resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResolvedAgent {
    /// Name in the stage: the name of the definition, with a number if several agents share it.
    pub name: String,
    /// Name of its definition.
    pub agent: String,
    /// Purpose of the agent.
    pub agent_type: AgentType,
    /// Iteration strategy.
    pub iteration_strategy: IterationStrategy,
    /// How much its instructions explain; `None` if it depends on the context window of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_profile: Option<PromptProfile>,
    /// Name of the model provider.
    pub llm_provider: String,
    /// Model name, if the provider sets one.
    pub model: Option<String>,
    /// How the model is called.
    pub llm_backend: LlmBackend,
    /// Providers that are tried, in order, when the selected one fails.
    pub fallback_providers: Vec<FallbackProvider>,
    /// Maximum number of model calls.
    pub max_iterations: u32,
    /// Time limit of the model call of an iteration.
    pub iteration_timeout: Period,
    /// Ids of the MCP servers whose tools the agent can call.
    pub mcp_servers: Vec<String>,
    /// Vendor-hosted tools that the agent can use.
    pub native_tools: NativeToolsConfig,
    /// Instructions added to the general ones.
    pub custom_instructions: Option<String>,
    /// Whether the agent must conclude when it reaches `max_iterations`.
    pub force_conclusion: bool,
}

/// Resolves a chain of a validated configuration, in which every name refers to an existing entry.
pub fn resolve(config: &Config, id: &str, chain: &ChainConfig) -> ResolvedChain {
    let stages: Vec<ResolvedStage> =
        chain.stages.iter().map(|stage| resolve_stage(config, chain, stage)).collect();
    ResolvedChain {
        id: id.to_owned(),
        description: chain.description.clone(),
        alert_types: chain.alert_types.clone(),
        chat: resolve_chat(config, chain, &stages),
        executive_summary: resolve_executive_summary(config, chain),
        on_stage_failure: chain.on_stage_failure,
        token_budget: chain.token_budget.or(config.defaults().token_budget),
        rules: RulesVersion::CURRENT,
        stages,
    }
}

fn resolve_stage(config: &Config, chain: &ChainConfig, stage: &StageConfig) -> ResolvedStage {
    let mut agents: Vec<ResolvedAgent> = match (&stage.agent, &stage.agents) {
        (_, Some(agents)) => {
            agents.iter().map(|own| resolve_stage_agent(config, chain, stage, own)).collect()
        }
        (Some(name), None) => {
            vec![resolve_stage_agent(config, chain, stage, &StageAgentConfig::named(name))]
        }
        (None, None) => Vec::new(),
    };
    if let [single] = agents.as_slice() {
        let replicas = usize::try_from(stage.replicas.unwrap_or(1)).unwrap_or(1);
        agents = vec![single.clone(); replicas.max(1)];
    }
    number(&mut agents);
    ResolvedStage {
        name: stage.name.clone(),
        synthesis: (agents.len() > 1).then(|| resolve_synthesis(config, chain, stage)),
        agents,
        success_policy: stage
            .success_policy
            .or(config.defaults().success_policy)
            .unwrap_or(SuccessPolicy::Any),
        when: stage.when.clone(),
        timeout: stage.timeout,
    }
}

fn resolve_stage_agent(
    config: &Config,
    chain: &ChainConfig,
    stage: &StageConfig,
    own: &StageAgentConfig,
) -> ResolvedAgent {
    let (name, agent) = find_agent(config, &own.name);
    let levels = [config.defaults().into(), (&agent).into(), chain.into(), stage.into(), Level::from(own)];
    resolve_agent(config, name, &agent, own.r#type.unwrap_or(agent.r#type), &levels)
}

fn resolve_synthesis(config: &Config, chain: &ChainConfig, stage: &StageConfig) -> ResolvedAgent {
    let own = stage.synthesis.clone().unwrap_or_default();
    let (name, agent) = find_agent(config, own.agent.as_deref().unwrap_or(SYNTHESIS_AGENT));
    let levels = [
        config.defaults().into(),
        (&agent).into(),
        Level::from(chain).without_servers(),
        Level::from(stage).without_servers(),
        Level::from(&own),
    ];
    resolve_agent(config, name, &agent, AgentType::Synthesis, &levels)
}

fn resolve_chat(config: &Config, chain: &ChainConfig, stages: &[ResolvedStage]) -> Option<ResolvedAgent> {
    let own = chain.chat.clone().unwrap_or_default();
    if !own.enabled {
        return None;
    }
    let (name, agent) = find_agent(config, own.agent.as_deref().unwrap_or(CHAT_AGENT));
    let servers = servers_of(stages);
    let levels = [
        config.defaults().into(),
        (&agent).into(),
        Level::from(chain).without_servers(),
        Level::of_servers(&servers),
        Level::from(&own),
    ];
    Some(resolve_agent(config, name, &agent, agent.r#type, &levels))
}

fn resolve_executive_summary(config: &Config, chain: &ChainConfig) -> ResolvedAgent {
    let (name, agent) = find_agent(config, EXEC_SUMMARY_AGENT);
    let levels = [
        config.defaults().into(),
        (&agent).into(),
        Level::from(chain).without_servers(),
        Level::of_provider(chain.executive_summary_provider.as_deref()),
    ];
    resolve_agent(config, name, &agent, AgentType::ExecSummary, &levels)
}

/// Returns the definition of an agent. The rules guarantee that it exists.
fn find_agent<'a>(config: &Config, name: &'a str) -> (&'a str, AgentConfig) {
    let name = crate::agent_name(name);
    (name, config.agents().get(name).cloned().unwrap_or_default())
}

/// Applies the levels, given from the lowest to the highest.
fn resolve_agent(
    config: &Config,
    name: &str,
    agent: &AgentConfig,
    agent_type: AgentType,
    levels: &[Level<'_>],
) -> ResolvedAgent {
    let llm_provider =
        level::highest(levels, |level| level.provider).unwrap_or_else(|| config.default_provider());
    let provider = config.providers().get(llm_provider);
    let iteration_strategy = level::strategy(levels, agent_type);
    let vendor_tools = provider.and_then(|provider| provider.native_tools).unwrap_or_default();
    ResolvedAgent {
        name: name.to_owned(),
        agent: name.to_owned(),
        agent_type,
        iteration_strategy,
        prompt_profile: level::highest(levels, |level| level.prompt_profile),
        llm_provider: llm_provider.to_owned(),
        model: provider.and_then(|provider| provider.model.clone()),
        llm_backend: level::highest(levels, |level| level.backend)
            .unwrap_or_else(|| LlmBackend::implied(iteration_strategy, provider)),
        fallback_providers: level::highest(levels, |level| level.fallback_providers)
            .unwrap_or_default()
            .to_vec(),
        max_iterations: level::highest(levels, |level| level.max_iterations)
            .unwrap_or(DEFAULT_MAX_ITERATIONS),
        iteration_timeout: level::highest(levels, |level| level.iteration_timeout)
            .unwrap_or_else(|| default_iteration_timeout(provider)),
        mcp_servers: level::highest(levels, |level| level.mcp_servers).unwrap_or_default().to_vec(),
        native_tools: merge_native_tools(agent.native_tools.unwrap_or_default(), vendor_tools),
        custom_instructions: agent.custom_instructions.clone(),
        force_conclusion: agent.force_conclusion_at_max_iterations.unwrap_or(true),
    }
}

/// Returns the default of `iteration_timeout` for the provider of an agent.
pub fn default_iteration_timeout(provider: Option<&ProviderConfig>) -> Period {
    provider.map_or(Period::from_secs(6 * 60), ProviderConfig::default_iteration_timeout)
}

/// Merges tool by tool; `upper` takes precedence.
fn merge_native_tools(upper: NativeToolsConfig, lower: NativeToolsConfig) -> NativeToolsConfig {
    NativeToolsConfig {
        google_search: upper.google_search.or(lower.google_search),
        code_execution: upper.code_execution.or(lower.code_execution),
        url_context: upper.url_context.or(lower.url_context),
    }
}

/// Numbers agents of the same name, starting at 1, so that their names differ.
fn number(agents: &mut [ResolvedAgent]) {
    let names: Vec<String> = agents.iter().map(|agent| agent.agent.clone()).collect();
    for (index, agent) in agents.iter_mut().enumerate() {
        let same = |names: &[String]| names.iter().filter(|name| **name == agent.agent).count();
        if same(&names) > 1 {
            let number = same(&names[..=index]);
            agent.name = format!("{}-{number}", agent.agent);
        }
    }
}

/// Returns the servers of all stages without duplicates, in order of first use.
fn servers_of(stages: &[ResolvedStage]) -> Vec<String> {
    let mut servers: Vec<String> = Vec::new();
    for server in stages.iter().flat_map(|stage| &stage.agents).flat_map(|agent| &agent.mcp_servers) {
        if !servers.contains(server) {
            servers.push(server.clone());
        }
    }
    servers
}

impl ResolvedChain {
    /// Replaces the MCP servers of all investigating agents, as an alert can request.
    pub fn choose_servers(&mut self, servers: &[String]) {
        for agent in self.investigators() {
            agent.mcp_servers = servers.to_vec();
        }
    }

    /// Overrides the vendor-hosted tools of all investigating agents, as an alert can request. Tools that
    /// `chosen` does not set stay unchanged.
    pub fn choose_native_tools(&mut self, chosen: NativeToolsConfig) {
        for agent in self.investigators() {
            agent.native_tools = merge_native_tools(chosen, agent.native_tools);
        }
    }

    /// Returns the agents that investigate or chat, without synthesis and executive summary.
    fn investigators(&mut self) -> impl Iterator<Item = &mut ResolvedAgent> {
        self.stages.iter_mut().flat_map(|stage| &mut stage.agents).chain(&mut self.chat)
    }
}
