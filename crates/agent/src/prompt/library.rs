//! The templates in use, and their rendering.
//!
//! Each built-in template is also available as `builtin/<name>`, so that an override can extend it. Rendering
//! is strict and bounded: an undefined variable is an error, and a template that takes too many steps is
//! stopped.

use std::collections::BTreeMap;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, Value};

use super::error::{TemplateError, message};
use super::location::TemplateLocation;
use super::references::{TemplateReference, TemplateReferenceKind};
use super::template::{BUILT_IN, Profile, Template};

/// Folder of the built-in templates, for overrides that extend them.
pub(crate) const BUILT_IN_FOLDER: &str = "builtin";

/// Maximum number of template instructions per rendering. The longest list of tools needs less than half of
/// them.
pub(crate) const FUEL: u64 = 2_000_000;

/// The templates in use.
#[derive(Debug, Clone)]
pub(crate) struct Library {
    environment: Environment<'static>,
    /// Every template, under each of its names.
    templates: BTreeMap<String, Template>,
    overridden: Vec<String>,
}

impl Library {
    /// Returns the built-in templates with overrides, and the errors of the overrides. An override that
    /// cannot be parsed is ignored, so that it causes no follow-up errors.
    pub(crate) fn new(overrides: &[Template]) -> (Self, Vec<TemplateError>) {
        let mut library =
            Self { environment: environment(), templates: BTreeMap::new(), overridden: Vec::new() };
        let mut errors = Vec::new();
        for built_in in BUILT_IN {
            let original = format!("{BUILT_IN_FOLDER}/{}", built_in.name);
            for name in [built_in.name, &original] {
                let template = Template {
                    name: name.to_owned(),
                    path: original.clone(),
                    source: built_in.source.to_owned(),
                };
                errors.extend(library.add(template).err());
            }
        }
        for template in overrides {
            errors.extend(library.replace(template).err());
        }
        (library, errors)
    }

    /// Returns the templates in use, in the order of the built-in ones.
    pub(crate) fn templates(&self) -> impl Iterator<Item = &Template> {
        BUILT_IN.iter().filter_map(|built_in| self.templates.get(built_in.name))
    }

    /// Returns the names of the overridden templates.
    pub(crate) fn overridden(&self) -> impl Iterator<Item = &str> {
        self.overridden.iter().map(String::as_str)
    }

    /// Returns the variables that a template uses and does not define.
    pub(crate) fn used_variables(&self, template: &Template) -> Vec<String> {
        let Ok(template) = self.environment.get_template(&template.name) else { return Vec::new() };
        let mut names: Vec<String> = template.undeclared_variables(true).into_iter().collect();
        names.sort();
        names
    }

    /// Returns the error of a reference whose target does not exist; `None` if it exists.
    pub(crate) fn unknown(&self, reference: &TemplateReference<'_>) -> Option<Error> {
        let tried = |expression: String| self.environment.compile_expression(&expression)?.eval(());
        let (tried, kind) = match reference.kind {
            TemplateReferenceKind::Template => return self.environment.get_template(reference.name).err(),
            TemplateReferenceKind::Filter => {
                (tried(format!("0 | {}", reference.name)), ErrorKind::UnknownFilter)
            }
            TemplateReferenceKind::Test => {
                (tried(format!("0 is {}", reference.name)), ErrorKind::UnknownTest)
            }
        };
        tried.err().filter(|error| error.kind() == kind)
    }

    /// Renders the blocks of a profile, in order.
    pub(crate) fn render(&self, profile: Profile, variables: Value) -> Result<Vec<String>, TemplateError> {
        let template_error = |error: Error| TemplateError::of_error(&error, &self.templates);
        let template = self.environment.get_template(profile.template()).map_err(template_error)?;
        // Blocks can be rendered individually only after the complete template, whose text is discarded.
        let mut rendered = template.render_captured_to(variables, std::io::sink()).map_err(template_error)?;
        let mut block = |name: &&str| match rendered.with_state_mut(|state| state.render_block(name)) {
            Ok(text) => Ok(text.trim().to_owned()),
            Err(error) if error.kind() == ErrorKind::UnknownBlock => Err(self.missing_block(profile, name)),
            Err(error) => Err(template_error(error)),
        };
        profile.blocks().iter().map(&mut block).collect()
    }

    /// Returns the number of instructions that a rendering takes.
    #[cfg(test)]
    pub(crate) fn fuel_for(&self, profile: Profile, variables: Value) -> u64 {
        let template = self.environment.get_template(profile.template()).unwrap();
        let mut rendered = template.render_captured_to(variables, std::io::sink()).unwrap();
        for block in profile.blocks() {
            rendered.with_state_mut(|state| state.render_block(block)).unwrap();
        }
        rendered.state().fuel_levels().map_or(0, |(consumed, _)| consumed)
    }

    fn missing_block(&self, profile: Profile, block: &str) -> TemplateError {
        let template = self.templates.get(profile.template());
        TemplateError::missing_block(&template.cloned().unwrap_or_default(), block)
    }

    fn replace(&mut self, template: &Template) -> Result<(), TemplateError> {
        if !BUILT_IN.iter().any(|built_in| built_in.name == template.name) {
            return Err(TemplateError::unknown_name(template));
        }
        self.add(template.clone())?;
        self.overridden.push(template.name.clone());
        Ok(())
    }

    fn add(&mut self, template: Template) -> Result<(), TemplateError> {
        let (name, source) = (template.name.clone(), template.source.clone());
        if let Err(error) = self.environment.add_template_owned(name, source) {
            let location = TemplateLocation::of_error(&error, &template.source);
            return Err(TemplateError::at(&template, location, message(&error)));
        }
        self.templates.insert(template.name.clone(), template);
        Ok(())
    }
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    if let Ok(syntax) =
        SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()
    {
        environment.set_syntax(syntax);
    }
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    // Without debug mode, errors have no column.
    environment.set_debug(true);
    environment
}
