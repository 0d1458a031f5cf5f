//! The tools that a run offers to the model.
//!
//! The tool that reads results in full is offered after the first result that was shortened: before that, a
//! weak model would call it for want of a better idea.

use std::sync::Arc;

use tarsy_domain::{LoopKind, PromptProfile, ToolDefinition};

use super::setup::Setup;
use crate::prompt::compact_definition;

/// The tools of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OfferedTools {
    loop_kind: LoopKind,
    profile: PromptProfile,
    /// The tools that the model may call, with their complete definitions.
    known: Arc<[Arc<ToolDefinition>]>,
    /// The definitions that are sent with model calls; empty unless the loop is function calling.
    bound: Arc<[Arc<ToolDefinition>]>,
    /// The tool that reads results, until it is offered.
    result_reader: Option<Arc<ToolDefinition>>,
}

impl OfferedTools {
    /// Returns the tools at the start of a run.
    pub(super) fn new(setup: &Setup) -> Self {
        let mut tools = Self {
            loop_kind: setup.strategy.loop_kind(),
            profile: setup.prompt_profile,
            known: setup.tools.clone().into(),
            bound: Arc::new([]),
            result_reader: setup.result_reader.clone(),
        };
        tools.bind();
        tools
    }

    /// Returns the tools that the model may call.
    pub(super) fn known(&self) -> &[Arc<ToolDefinition>] {
        &self.known
    }

    /// Returns the definitions to send with a model call.
    pub(super) fn bound(&self) -> &Arc<[Arc<ToolDefinition>]> {
        &self.bound
    }

    /// Offers the tool that reads results. Returns the definition that is sent from now on, if it is new.
    pub(super) fn offer_result_reader(&mut self) -> Option<Arc<ToolDefinition>> {
        let reader = self.result_reader.take()?;
        self.known = self.known.iter().cloned().chain([reader]).collect();
        self.bind();
        self.bound.last().cloned()
    }

    fn bind(&mut self) {
        self.bound = match (self.loop_kind, self.profile) {
            (LoopKind::React | LoopKind::SingleShot, _) => Arc::new([]),
            (LoopKind::FunctionCalling, PromptProfile::Full) => Arc::clone(&self.known),
            (LoopKind::FunctionCalling, PromptProfile::Compact) => {
                self.known.iter().map(|tool| Arc::new(compact_definition(tool))).collect()
            }
        };
    }
}
