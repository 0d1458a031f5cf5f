//! What earlier work passes on to one reader, before it is formatted.

use tarsy_domain::IterationStrategy;

use super::StageResult;

/// Maximum number of results in the list for a reader.
const MAX_LISTED: usize = 60;

/// The results that one reader gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Handover {
    /// Stages of which the reader gets the analyses.
    pub analyses: Vec<StageResult>,
    /// Stages of which the reader gets the complete trails. They follow the others.
    pub trails: Vec<StageResult>,
    /// Whether the reader can read the tool results of earlier agents.
    pub access: ResultAccess,
    /// Why no agent has got a result from a tool so far; `None` if one has, or if none has tools.
    pub no_data: Option<String>,
    /// What was left out to fit the context window of the reader.
    pub left_out: Option<String>,
}

/// Whether a reader can read the tool results of earlier agents with `read_result`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ResultAccess {
    /// The reader has no tools.
    #[default]
    None,
    /// The reader can call `read_result`, and gets a list of at most this many results.
    List(usize),
}

impl Handover {
    /// Selects what an agent with the strategy `reader` gets of the earlier stages.
    ///
    /// Strategies that merge or conclude work with the tool results, so they get the complete trails. An
    /// investigating agent gets the analyses, and a list of the tool results that it can read.
    pub fn for_stage(reader: IterationStrategy, earlier: Vec<StageResult>) -> Self {
        match reader {
            IterationStrategy::Synthesis
            | IterationStrategy::SynthesisNativeThinking
            | IterationStrategy::ReactFinalAnalysis
            | IterationStrategy::SingleCall => Self { trails: earlier, ..Self::default() },
            IterationStrategy::React | IterationStrategy::ReactStage | IterationStrategy::NativeThinking => {
                Self { analyses: earlier, access: ResultAccess::List(MAX_LISTED), ..Self::default() }
            }
        }
    }

    /// Selects what the synthesis of a stage with several agents gets: their trails, and the analyses of the
    /// earlier stages.
    pub fn for_synthesis(earlier: Vec<StageResult>, stage: StageResult) -> Self {
        Self { analyses: earlier, trails: vec![stage], ..Self::default() }
    }

    /// Selects what a chat agent with the strategy `reader` gets: the trails of all stages.
    pub fn for_chat(reader: IterationStrategy, stages: Vec<StageResult>) -> Self {
        let access = if reader.uses_tools() { ResultAccess::List(0) } else { ResultAccess::None };
        Self { trails: stages, access, ..Self::default() }
    }

    /// Returns whether there is nothing to pass on.
    pub fn is_empty(&self) -> bool {
        self.analyses.is_empty() && self.trails.is_empty()
    }

    /// Returns all stages.
    pub fn stages(&self) -> impl Iterator<Item = &StageResult> {
        self.analyses.iter().chain(&self.trails)
    }
}
