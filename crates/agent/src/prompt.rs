//! The messages that open a conversation with a model, rendered from templates.
//!
//! [`Prompts`] holds the templates: the built-in ones, or an operator's in their place, checked before they are used. A
//! [`PromptInput`] goes in, messages come out. What finished work hands on is formatted in `context`; what is said
//! after the opening is the loops' affair.

use tarsy_domain::{LoopKind, Message};

use library::Library;
use template::Profile;

mod check;
mod error;
mod fence;
mod input;
mod library;
mod location;
mod references;
mod sample;
mod template;
mod tool_list;
mod variables;

pub use error::{TemplateError, TemplateErrors, UnknownTemplate};
pub use input::{
    ChatExchange, ChatTask, ExecutiveSummaryInput, PromptAgent, PromptAlert, PromptInput, PromptServer,
    StagePosition, Task, ToolSummaryInput, UnavailableServer,
};
pub use template::Template;

/// The prompts of a running system.
#[derive(Debug, Clone)]
pub struct Prompts {
    library: Library,
    /// What is used where a replaced template fails on data that nobody foresaw.
    built_in: Library,
}

/// A prompt that was rendered, one way or the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered<T> {
    /// What to send.
    pub prompt: T,
    /// Why it was rendered from the built-in templates alone, though some are replaced.
    pub warning: Option<TemplateError>,
}

impl Prompts {
    /// The built-in prompts.
    pub fn builtin() -> Self {
        // A test holds that the built-in templates have no faults.
        let (library, _) = Library::new(&[]);
        Self { built_in: library.clone(), library }
    }

    /// The built-in prompts with some templates replaced, if all is well with those; or else all their faults.
    ///
    /// What is found here is all that can be found without the data. Should a replaced template fail later, the
    /// prompt is rendered from the built-in ones, and says so.
    pub fn with_overrides(overrides: &[Template]) -> Result<Self, TemplateErrors> {
        let (library, mut faults) = Library::new(overrides);
        faults.extend(check::check(&library));
        match TemplateErrors::new(faults) {
            Some(faults) => Err(faults),
            None => Ok(Self { library, ..Self::builtin() }),
        }
    }

    /// The templates in use, the profiles before the parts.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        self.library.templates()
    }

    /// The template of a name.
    pub fn template(&self, name: &str) -> Result<&Template, UnknownTemplate> {
        let found = self.templates().find(|template| template.name == name);
        found.ok_or_else(|| UnknownTemplate { name: name.to_owned() })
    }

    /// The names of the templates that are not the built-in ones.
    pub fn overridden(&self) -> impl Iterator<Item = &str> {
        self.library.overridden()
    }

    /// The instructions and the task that an agent begins with.
    pub fn opening(&self, briefing: &PromptInput<'_>) -> Result<Rendered<Vec<Message>>, TemplateError> {
        self.conversation(Profile::of(briefing), variables::of_opening(briefing))
    }

    /// What to ask for an executive summary.
    pub fn executive_summary(
        &self,
        briefing: &ExecutiveSummaryInput<'_>,
    ) -> Result<Rendered<Vec<Message>>, TemplateError> {
        self.conversation(Profile::ExecutiveSummary, variables::of_executive_summary(briefing))
    }

    /// What to ask for a summary of a long tool result.
    pub fn tool_summary(
        &self,
        briefing: &ToolSummaryInput<'_>,
    ) -> Result<Rendered<Vec<Message>>, TemplateError> {
        self.conversation(Profile::ToolSummary, variables::of_tool_summary(briefing))
    }

    /// What to say when the iterations are used up and the agent must conclude.
    pub fn forced_conclusion(
        &self,
        loop_kind: LoopKind,
        iterations: u32,
    ) -> Result<Rendered<String>, TemplateError> {
        let variables = variables::of_forced_conclusion(loop_kind, iterations);
        let blocks = self.render(Profile::ForcedConclusion, variables)?;
        Ok(blocks.map(|blocks| blocks.into_iter().collect()))
    }

    fn conversation(
        &self,
        profile: Profile,
        variables: minijinja::Value,
    ) -> Result<Rendered<Vec<Message>>, TemplateError> {
        let blocks = self.render(profile, variables)?;
        Ok(blocks.map(|blocks| {
            let mut blocks = blocks.into_iter();
            let (system, user) = (blocks.next().unwrap_or_default(), blocks.next().unwrap_or_default());
            vec![Message::system(system), Message::user(user)]
        }))
    }

    /// The blocks of a profile; a fault is one of the built-in templates.
    fn render(
        &self,
        profile: Profile,
        variables: minijinja::Value,
    ) -> Result<Rendered<Vec<String>>, TemplateError> {
        match self.library.render(profile, variables.clone()) {
            Ok(prompt) => Ok(Rendered { prompt, warning: None }),
            Err(fault) => {
                let prompt = self.built_in.render(profile, variables)?;
                Ok(Rendered { prompt, warning: Some(fault) })
            }
        }
    }
}

impl<T> Rendered<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Rendered<U> {
        Rendered { prompt: change(self.prompt), warning: self.warning }
    }
}

#[cfg(test)]
mod tests;
