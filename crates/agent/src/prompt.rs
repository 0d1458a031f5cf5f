//! Renders the opening messages of a conversation from templates.
//!
//! [`Prompts`] contains the built-in templates and the overrides of an operator, which are validated before
//! use. It renders a [`PromptInput`] into messages. Results of earlier stages are formatted in `context`;
//! messages after the opening are written by the run.

use tarsy_domain::{LoopKind, Message};

use library::Library;
use template::Profile;

mod check;
mod compact;
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

pub(crate) use compact::compact_definition;
pub use error::{TemplateError, TemplateErrors, UnknownTemplate};
pub use input::{
    ChatExchange, ChatTask, ExecutiveSummaryInput, PromptAgent, PromptAlert, PromptInput, PromptServer,
    StagePosition, Task, ToolSummaryInput, UnavailableServer,
};
pub use template::Template;

/// The prompt templates in use.
#[derive(Debug, Clone)]
pub struct Prompts {
    library: Library,
    /// Fallback for an override that fails to render.
    built_in: Library,
}

/// A rendered prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered<T> {
    /// The prompt to send.
    pub prompt: T,
    /// Why the prompt was rendered from the built-in templates instead of the overrides.
    pub warning: Option<TemplateError>,
}

impl Prompts {
    /// Returns the built-in prompts.
    pub fn builtin() -> Self {
        // A test checks that the built-in templates have no errors.
        let (library, _) = Library::new(&[]);
        Self { built_in: library.clone(), library }
    }

    /// Returns the built-in prompts with overrides, or all errors of the overrides.
    ///
    /// Validation finds the errors that do not depend on the data. If an override fails to render later, the
    /// prompt is rendered from the built-in templates, with a warning.
    pub fn with_overrides(overrides: &[Template]) -> Result<Self, TemplateErrors> {
        let (library, mut errors) = Library::new(overrides);
        errors.extend(check::check(&library));
        match TemplateErrors::new(errors) {
            Some(errors) => Err(errors),
            None => Ok(Self { library, ..Self::builtin() }),
        }
    }

    /// Returns the templates in use, profiles before parts.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        self.library.templates()
    }

    /// Returns the template with a name.
    pub fn template(&self, name: &str) -> Result<&Template, UnknownTemplate> {
        let found = self.templates().find(|template| template.name == name);
        found.ok_or_else(|| UnknownTemplate { name: name.to_owned() })
    }

    /// Returns the names of the overridden templates.
    pub fn overridden(&self) -> impl Iterator<Item = &str> {
        self.library.overridden()
    }

    /// Renders the opening messages of an agent: its instructions and its task.
    pub fn opening(&self, input: &PromptInput<'_>) -> Result<Rendered<Vec<Message>>, TemplateError> {
        self.conversation(Profile::of(input), variables::of_opening(input))
    }

    /// Renders the messages that request an executive summary.
    pub fn executive_summary(
        &self,
        input: &ExecutiveSummaryInput<'_>,
    ) -> Result<Rendered<Vec<Message>>, TemplateError> {
        self.conversation(Profile::ExecutiveSummary, variables::of_executive_summary(input))
    }

    /// Renders the messages that request a summary of a long tool result.
    pub fn tool_summary(
        &self,
        input: &ToolSummaryInput<'_>,
    ) -> Result<Rendered<Vec<Message>>, TemplateError> {
        self.conversation(Profile::ToolSummary, variables::of_tool_summary(input))
    }

    /// Renders the message that requests a conclusion when the iteration limit is reached.
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

    /// Renders the blocks of a profile. Falls back to the built-in templates if an override fails, so an
    /// error is always an error of a built-in template.
    fn render(
        &self,
        profile: Profile,
        variables: minijinja::Value,
    ) -> Result<Rendered<Vec<String>>, TemplateError> {
        match self.library.render(profile, variables.clone()) {
            Ok(prompt) => Ok(Rendered { prompt, warning: None }),
            Err(error) => {
                let prompt = self.built_in.render(profile, variables)?;
                Ok(Rendered { prompt, warning: Some(error) })
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
