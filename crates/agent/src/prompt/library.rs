//! The templates in use, and rendering them.
//!
//! Each built-in template also stands under `builtin/` and its name, so that one that replaces it can extend it. Rendering is
//! strict and bounded: what is not defined is a fault, and a template that goes on for too long is stopped.

use std::collections::BTreeMap;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, Value};

use super::error::{TemplateError, message};
use super::location::TemplateLocation;
use super::references::{ReferenceKind, TemplateReference};
use super::template::{BUILT_IN, Profile, Template};

/// Under which folder the built-in templates stay, for those that extend them.
pub(crate) const BUILT_IN_FOLDER: &str = "builtin";

/// How many instructions of a template may run. The longest list of tools needs less than half of it.
pub(crate) const FUEL: u64 = 2_000_000;

/// The templates in use.
#[derive(Debug, Clone)]
pub(crate) struct Library {
    environment: Environment<'static>,
    /// Every template under each of its names.
    templates: BTreeMap<String, Template>,
    overridden: Vec<String>,
}

impl Library {
    /// The built-in templates with others in place of some, and what is wrong with those. A template that cannot
    /// be read leaves the built-in one where it is, so that its fault causes no others.
    pub(crate) fn new(overrides: &[Template]) -> (Self, Vec<TemplateError>) {
        let mut library =
            Self { environment: environment(), templates: BTreeMap::new(), overridden: Vec::new() };
        let mut faults = Vec::new();
        for built_in in BUILT_IN {
            let original = format!("{BUILT_IN_FOLDER}/{}", built_in.name);
            for name in [built_in.name, &original] {
                let template = Template {
                    name: name.to_owned(),
                    path: original.clone(),
                    source: built_in.source.to_owned(),
                };
                faults.extend(library.add(template).err());
            }
        }
        for template in overrides {
            faults.extend(library.replace(template).err());
        }
        (library, faults)
    }

    /// The templates in use, in the order of the built-in ones.
    pub(crate) fn templates(&self) -> impl Iterator<Item = &Template> {
        BUILT_IN.iter().filter_map(|built_in| self.templates.get(built_in.name))
    }

    /// The names of those that were replaced.
    pub(crate) fn overridden(&self) -> impl Iterator<Item = &str> {
        self.overridden.iter().map(String::as_str)
    }

    /// The names of all variables that a template mentions and does not define.
    pub(crate) fn mentioned(&self, template: &Template) -> Vec<String> {
        let Ok(template) = self.environment.get_template(&template.name) else { return Vec::new() };
        let mut names: Vec<String> = template.undeclared_variables(true).into_iter().collect();
        names.sort();
        names
    }

    /// Why something that a template names does not exist; `None` if it does.
    pub(crate) fn unknown(&self, mention: &TemplateReference<'_>) -> Option<Error> {
        let tried = |expression: String| self.environment.compile_expression(&expression)?.eval(());
        let (tried, kind) = match mention.kind {
            ReferenceKind::Template => return self.environment.get_template(mention.name).err(),
            ReferenceKind::Filter => (tried(format!("0 | {}", mention.name)), ErrorKind::UnknownFilter),
            ReferenceKind::Test => (tried(format!("0 is {}", mention.name)), ErrorKind::UnknownTest),
        };
        tried.err().filter(|error| error.kind() == kind)
    }

    /// The blocks of a profile's template, in order.
    pub(crate) fn render(&self, profile: Profile, variables: Value) -> Result<Vec<String>, TemplateError> {
        let fault = |error: Error| TemplateError::of_error(&error, &self.templates);
        let template = self.environment.get_template(profile.template()).map_err(fault)?;
        // Blocks can only be rendered one by one after the whole template was; nobody needs that text.
        let mut rendered = template.render_captured_to(variables, std::io::sink()).map_err(fault)?;
        let mut block = |name: &&str| match rendered.with_state_mut(|state| state.render_block(name)) {
            Ok(text) => Ok(text.trim().to_owned()),
            Err(error) if error.kind() == ErrorKind::UnknownBlock => Err(self.missing_block(profile, name)),
            Err(error) => Err(fault(error)),
        };
        profile.blocks().iter().map(&mut block).collect()
    }

    /// How many instructions it takes to render a profile.
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
            let place = TemplateLocation::of_error(&error, &template.source);
            return Err(TemplateError::at(&template, place, message(&error)));
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
    // Without it, errors do not know their column.
    environment.set_debug(true);
    environment
}
