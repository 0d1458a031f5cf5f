//! What a chain means once defaults, agent, chain, stage and stage agent have had their say.
//!
//! [`resolve`] is pure, and its result says everything about an investigation: it is stored with a session,
//! so that a later change of the configuration does not change a session under way. It holds names of
//! providers and servers, never credentials. The order in which levels override each other is in `level`.

use serde::{Deserialize, Serialize};
use tarsy_domain::{IterationStrategy, SuccessPolicy};

use crate::builtin::{CHAT_AGENT, EXEC_SUMMARY_AGENT, SYNTHESIS_AGENT};
use crate::file::{
    AgentConfig, AgentType, ChainConfig, FallbackProvider, LlmBackend, NativeToolsConfig, OnStageFailure,
    StageAgentConfig, StageConfig,
};
use crate::{Config, Period};
use level::Level;

mod level;

/// Model calls an agent may make when nobody says otherwise.
pub const DEFAULT_MAX_ITERATIONS: u32 = 20;
/// How long one iteration may take when nobody says otherwise.
pub const DEFAULT_ITERATION_TIMEOUT: Period = Period::from_secs(120);

/// A chain with everything resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResolvedChain {
    /// The chain's id.
    pub id: String,
    /// What it does, for people.
    pub description: Option<String>,
    /// The alert types it takes.
    pub alert_types: Vec<String>,
    /// Its stages in order.
    pub stages: Vec<ResolvedStage>,
    /// The agent that answers questions; `None` where chat is off.
    pub chat: Option<ResolvedAgent>,
    /// The agent that writes the executive summary.
    pub executive_summary: ResolvedAgent,
    /// What happens to the following stages when one fails.
    pub on_stage_failure: OnStageFailure,
    /// Tokens one session may use in total.
    pub token_budget: Option<u64>,
}

/// A stage with everything resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResolvedStage {
    /// Its name, unique in the chain.
    pub name: String,
    /// The agents that work at the same time; at least one.
    pub agents: Vec<ResolvedAgent>,
    /// When the stage counts as successful.
    pub success_policy: SuccessPolicy,
    /// The agent that merges the results, where several work.
    pub synthesis: Option<ResolvedAgent>,
    /// The condition under which it runs; checked, so it parses.
    pub when: Option<String>,
    /// How long the whole stage may take.
    pub timeout: Option<Period>,
}

/// An agent with everything resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResolvedAgent {
    /// Its name in the stage: that of the definition, with a number where several are called the same.
    pub name: String,
    /// The name of its definition.
    pub agent: String,
    /// What it is for.
    pub agent_type: AgentType,
    /// How it works.
    pub iteration_strategy: IterationStrategy,
    /// The name of its model provider.
    pub llm_provider: String,
    /// The model's name, if the provider names one.
    pub model: Option<String>,
    /// How the model is called.
    pub llm_backend: LlmBackend,
    /// Providers to try, in order, when the chosen one fails.
    pub fallback_providers: Vec<FallbackProvider>,
    /// Model calls it may make.
    pub max_iterations: u32,
    /// How long one iteration may take.
    pub iteration_timeout: Period,
    /// Ids of the MCP servers whose tools it may call.
    pub mcp_servers: Vec<String>,
    /// Tools of the model's vendor that it may use.
    pub native_tools: NativeToolsConfig,
    /// Instructions besides the general ones.
    pub custom_instructions: Option<String>,
    /// Whether it is asked for a conclusion when its iterations are used up.
    pub force_conclusion: bool,
}

/// Resolves a chain. Every name leads somewhere, because the configuration was checked.
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
        stages,
    }
}

fn resolve_stage(config: &Config, chain: &ChainConfig, stage: &StageConfig) -> ResolvedStage {
    let mut agents: Vec<ResolvedAgent> = match (&stage.agent, &stage.agents) {
        (_, Some(agents)) => {
            agents.iter().map(|own| resolve_stage_agent(config, chain, stage, own)).collect()
        }
        (Some(name), None) => {
            let one = resolve_stage_agent(config, chain, stage, &StageAgentConfig::named(name));
            vec![one; usize::try_from(stage.replicas.unwrap_or(1)).unwrap_or(1)]
        }
        (None, None) => Vec::new(),
    };
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

/// The rules have made sure that the agent exists.
fn find_agent<'a>(config: &Config, name: &'a str) -> (&'a str, AgentConfig) {
    let name = crate::agent_name(name);
    (name, config.agents().get(name).cloned().unwrap_or_default())
}

/// Lets the levels speak, from the lowest to the highest.
fn resolve_agent(
    config: &Config,
    name: &str,
    agent: &AgentConfig,
    agent_type: AgentType,
    levels: &[Level<'_>],
) -> ResolvedAgent {
    let llm_provider =
        level::last(levels, |level| level.provider).unwrap_or_else(|| config.default_provider());
    let provider = config.providers().get(llm_provider);
    let vendor_tools = provider.and_then(|provider| provider.native_tools).unwrap_or_default();
    ResolvedAgent {
        name: name.to_owned(),
        agent: name.to_owned(),
        agent_type,
        iteration_strategy: level::strategy(levels, agent_type),
        llm_provider: llm_provider.to_owned(),
        model: provider.and_then(|provider| provider.model.clone()),
        llm_backend: level::last(levels, |level| level.backend).unwrap_or(LlmBackend::Langchain),
        fallback_providers: level::last(levels, |level| level.fallback_providers)
            .unwrap_or_default()
            .to_vec(),
        max_iterations: level::last(levels, |level| level.max_iterations).unwrap_or(DEFAULT_MAX_ITERATIONS),
        iteration_timeout: level::last(levels, |level| level.iteration_timeout)
            .unwrap_or(DEFAULT_ITERATION_TIMEOUT),
        mcp_servers: level::last(levels, |level| level.mcp_servers).unwrap_or_default().to_vec(),
        native_tools: over(agent.native_tools.unwrap_or_default(), vendor_tools),
        custom_instructions: agent.custom_instructions.clone(),
        force_conclusion: agent.force_conclusion_at_max_iterations.unwrap_or(true),
    }
}

/// Each tool by itself: what the one says, or else what the other says.
fn over(upper: NativeToolsConfig, lower: NativeToolsConfig) -> NativeToolsConfig {
    NativeToolsConfig {
        google_search: upper.google_search.or(lower.google_search),
        code_execution: upper.code_execution.or(lower.code_execution),
        url_context: upper.url_context.or(lower.url_context),
    }
}

/// Numbers agents that are called the same, from 1, so that people can tell them apart.
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

/// The servers of all stages, each once, in order of appearance.
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
    /// Lets an alert choose its own MCP servers, in place of all others.
    pub fn choose_servers(&mut self, servers: &[String]) {
        for agent in self.investigators() {
            agent.mcp_servers = servers.to_vec();
        }
    }

    /// Lets an alert choose which tools of the models' vendors are used; what it does not mention stays.
    pub fn choose_native_tools(&mut self, chosen: NativeToolsConfig) {
        for agent in self.investigators() {
            agent.native_tools = over(chosen, agent.native_tools);
        }
    }

    /// The agents that look for something, as opposed to those that sum up.
    fn investigators(&mut self) -> impl Iterator<Item = &mut ResolvedAgent> {
        self.stages.iter_mut().flat_map(|stage| &mut stage.agents).chain(&mut self.chat)
    }
}
