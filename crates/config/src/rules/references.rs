//! The rule that every reference by name has a target.
//!
//! It collects all references of the files, then looks each one up. An entry that is defined but invalid
//! counts as existing.

use super::{ReferenceKind, RuleContext};
use crate::agent_name;
use crate::file::{
    ChainConfig, ChatConfig, ConfigFile, DataMasking, FallbackProvider, ScoringConfig, StageAgentConfig,
    StageConfig, SubAgentConfig, SynthesisConfig,
};
use crate::path::Path;
use crate::suggest::instead;

/// A reference by name.
struct Reference<'a> {
    path: Path,
    kind: ReferenceKind,
    name: &'a str,
}

pub(super) fn check(context: &mut RuleContext<'_>) {
    let file = context.file;
    for reference in collect(file) {
        let Reference { path, kind, name } = reference;
        let known = context.names(kind);
        let section_is_invalid =
            kind.section().is_some_and(|section| context.locations.is_invalid(&Path::default().key(section)));
        if section_is_invalid || known.contains(name) {
            continue;
        }
        if name.is_empty() {
            context.error(&path, "this name must not be empty");
            continue;
        }
        let shown = context.locations.shown(&path);
        let message = format!("unknown {} `{shown}`{}", kind.as_str(), instead(name, known));
        context.error(&path, message);
    }
}

/// Returns all references in a file.
fn collect(file: &ConfigFile) -> Vec<Reference<'_>> {
    let mut references = References(Vec::new());
    references.defaults(file);
    for (id, server) in &file.mcp_servers {
        let path = Path::entry("mcp_servers", id);
        references.provider(
            &path.key("summarization").key("llm_provider"),
            server.summarization.llm_provider.as_ref(),
        );
        references.masking(&path.key("data_masking"), server.data_masking.as_ref());
    }
    for (name, agent) in &file.agents {
        references.servers(&Path::entry("agents", name), agent.mcp_servers.as_ref());
    }
    for (id, chain) in &file.agent_chains {
        references.chain(&Path::entry("agent_chains", id), chain);
    }
    references.0
}

struct References<'a>(Vec<Reference<'a>>);

impl<'a> References<'a> {
    fn defaults(&mut self, file: &'a ConfigFile) {
        let path = Path::default().key("defaults");
        let defaults = &file.defaults;
        self.provider(&path.key("llm_provider"), defaults.llm_provider.as_ref());
        self.fallbacks(&path, defaults.fallback_providers.as_ref());
        let summarization = defaults.summarization.as_ref().and_then(|block| block.llm_provider.as_ref());
        self.provider(&path.key("summarization").key("llm_provider"), summarization);
        self.scoring(&path.key("scoring"), defaults.scoring.as_ref());
        let group = path.key("alert_masking").key("pattern_group");
        self.push(group, ReferenceKind::PatternGroup, &defaults.alert_masking.pattern_group);
    }

    fn masking(&mut self, path: &Path, masking: Option<&'a DataMasking>) {
        let Some(masking) = masking else { return };
        for (index, group) in masking.pattern_groups.iter().enumerate() {
            self.push(path.key("pattern_groups").index(index), ReferenceKind::PatternGroup, group);
        }
        let is_custom =
            |name: &String| masking.custom_patterns.iter().any(|pattern| pattern.name.as_ref() == Some(name));
        for (index, name) in masking.patterns.iter().enumerate().filter(|(_, name)| !is_custom(name)) {
            self.push(path.key("patterns").index(index), ReferenceKind::Pattern, name);
        }
    }

    fn chain(&mut self, path: &Path, chain: &'a ChainConfig) {
        self.provider(&path.key("llm_provider"), chain.llm_provider.as_ref());
        self.provider(&path.key("executive_summary_provider"), chain.executive_summary_provider.as_ref());
        self.fallbacks(path, chain.fallback_providers.as_ref());
        self.servers(path, chain.mcp_servers.as_ref());
        self.sub_agents(path, chain.sub_agents.as_ref());
        self.scoring(&path.key("scoring"), chain.scoring.as_ref());
        if let Some(chat) = &chain.chat {
            self.chat(&path.key("chat"), chat);
        }
        for (index, stage) in chain.stages.iter().enumerate() {
            self.stage(&path.key("stages").index(index), stage);
        }
    }

    fn chat(&mut self, path: &Path, chat: &'a ChatConfig) {
        self.agent(&path.key("agent"), chat.agent.as_ref());
        self.provider(&path.key("llm_provider"), chat.llm_provider.as_ref());
        self.servers(path, chat.mcp_servers.as_ref());
        self.sub_agents(path, chat.sub_agents.as_ref());
    }

    fn scoring(&mut self, path: &Path, scoring: Option<&'a ScoringConfig>) {
        let Some(scoring) = scoring else { return };
        self.agent(&path.key("agent"), scoring.agent.as_ref());
        self.provider(&path.key("llm_provider"), scoring.llm_provider.as_ref());
        self.servers(path, scoring.mcp_servers.as_ref());
    }

    fn sub_agents(&mut self, path: &Path, agents: Option<&'a Vec<SubAgentConfig>>) {
        for (index, agent) in agents.into_iter().flatten().enumerate() {
            let path = path.key("sub_agents").index(index);
            self.agent(&path.key("name"), Some(&agent.name));
            self.provider(&path.key("llm_provider"), agent.llm_provider.as_ref());
            self.servers(&path, agent.mcp_servers.as_ref());
        }
    }

    fn stage(&mut self, path: &Path, stage: &'a StageConfig) {
        self.agent(&path.key("agent"), stage.agent.as_ref());
        self.provider(&path.key("llm_provider"), stage.llm_provider.as_ref());
        self.fallbacks(path, stage.fallback_providers.as_ref());
        self.servers(path, stage.mcp_servers.as_ref());
        self.sub_agents(path, stage.sub_agents.as_ref());
        for (index, agent) in stage.agents.iter().flatten().enumerate() {
            self.stage_agent(&path.key("agents").index(index), agent);
        }
        if let Some(SynthesisConfig { agent, llm_provider, .. }) = &stage.synthesis {
            self.agent(&path.key("synthesis").key("agent"), agent.as_ref());
            self.provider(&path.key("synthesis").key("llm_provider"), llm_provider.as_ref());
        }
    }

    fn stage_agent(&mut self, path: &Path, agent: &'a StageAgentConfig) {
        self.agent(&path.key("name"), Some(&agent.name));
        self.provider(&path.key("llm_provider"), agent.llm_provider.as_ref());
        self.fallbacks(path, agent.fallback_providers.as_ref());
        self.servers(path, agent.mcp_servers.as_ref());
        self.sub_agents(path, agent.sub_agents.as_ref());
    }

    fn agent(&mut self, path: &Path, name: Option<&'a String>) {
        self.0.extend(name.map(|name| Reference {
            path: path.clone(),
            kind: ReferenceKind::Agent,
            name: agent_name(name),
        }));
    }

    fn provider(&mut self, path: &Path, name: Option<&'a String>) {
        self.0.extend(name.map(|name| Reference { path: path.clone(), kind: ReferenceKind::Provider, name }));
    }

    fn servers(&mut self, path: &Path, names: Option<&'a Vec<String>>) {
        for (index, name) in names.into_iter().flatten().enumerate() {
            self.push(path.key("mcp_servers").index(index), ReferenceKind::Server, name);
        }
    }

    fn fallbacks(&mut self, path: &Path, fallbacks: Option<&'a Vec<FallbackProvider>>) {
        for (index, fallback) in fallbacks.into_iter().flatten().enumerate() {
            let path = path.key("fallback_providers").index(index).key("provider");
            self.push(path, ReferenceKind::Provider, &fallback.provider);
        }
    }

    fn push(&mut self, path: Path, kind: ReferenceKind, name: &'a str) {
        self.0.push(Reference { path, kind, name });
    }
}
