//! Finds and reads the files of a configuration directory, without interpreting them.
//!
//! The files are `tarsy.yaml` and `llm-providers.yaml`, or `agents.yaml` and `llm_providers.yaml`, their
//! names in the first generation. Prompt templates are read by `templates`.

use std::fs;
use std::io::ErrorKind;
use std::path::Path as FilePath;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SourceLocation};
use crate::path::Path;
use crate::source::{Source, SourcePosition, SourceSpan};
use crate::templates::{TemplateFile, Templates};

/// The texts of the files of a configuration directory.
#[derive(Debug, Default)]
pub(crate) struct ConfigSources {
    pub(crate) main: Option<Arc<Source>>,
    pub(crate) providers: Option<Arc<Source>>,
    /// Whether the providers file exists but cannot be read.
    pub(crate) providers_unreadable: bool,
    pub(crate) templates: Vec<TemplateFile>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl ConfigSources {
    pub(crate) fn in_directory(directory: &FilePath) -> Self {
        let mut files = Self::default();
        if !directory.is_dir() {
            let message = format!("the configuration directory `{}` does not exist", directory.display());
            files.diagnostics.push(Diagnostic::error(&Path::default(), message, None));
            return files;
        }
        let main = files.choose(directory, "tarsy.yaml", "agents.yaml");
        let providers = files.choose(directory, "llm-providers.yaml", "llm_providers.yaml");
        files.main = main.and_then(|name| files.read(directory, name));
        files.providers = providers.and_then(|name| files.read(directory, name));
        files.providers_unreadable = providers.is_some() && files.providers.is_none();
        if main.is_none() {
            files.warn_no_main(directory);
        }
        let templates = Templates::in_directory(directory);
        files.templates = templates.files;
        files.diagnostics.extend(templates.diagnostics);
        files
    }

    /// Returns the file to read: under its current name, or its name in the first generation.
    fn choose(
        &mut self,
        directory: &FilePath,
        current: &'static str,
        former: &'static str,
    ) -> Option<&'static str> {
        match (directory.join(current).exists(), directory.join(former).exists()) {
            (true, true) => {
                let message = format!(
                    "the configuration directory contains both `{current}` and `{former}`; remove `{former}`"
                );
                self.diagnostics.push(Diagnostic::error(&Path::default(), message, None));
                Some(current)
            }
            (true, false) => Some(current),
            (false, true) => Some(former),
            (false, false) => None,
        }
    }

    fn read(&mut self, directory: &FilePath, name: &str) -> Option<Arc<Source>> {
        match read_text(directory, name) {
            Ok(source) => Some(Arc::new(source)),
            Err(diagnostic) => {
                self.diagnostics.push(*diagnostic);
                None
            }
        }
    }

    fn warn_no_main(&mut self, directory: &FilePath) {
        let other = ["tarsy.yml", "agents.yml"].into_iter().find(|name| directory.join(name).exists());
        let message = match other {
            Some(name) => format!("`{name}` is ignored because its name does not end in `.yaml`"),
            None => "the configuration directory contains no `tarsy.yaml`".to_owned(),
        };
        let message = format!("{message}; the built-in configuration is used");
        self.diagnostics.push(Diagnostic::warning(&Path::default(), message, None));
    }
}

/// Reads a file as UTF-8, without a byte order mark.
pub(crate) fn read_text(directory: &FilePath, name: &str) -> Result<Source, Box<Diagnostic>> {
    let bytes = fs::read(directory.join(name)).map_err(|error| {
        let message = if error.kind() == ErrorKind::IsADirectory {
            format!("`{name}` is a directory; expected a file")
        } else {
            format!("cannot read `{name}`: {error}")
        };
        Box::new(Diagnostic::error(&Path::default(), message, None))
    })?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, text.trim_start_matches('\u{feff}'))),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            Err(Box::new(not_utf8(name, text)))
        }
    }
}

/// Creates a diagnostic at the first byte that is not UTF-8.
fn not_utf8(name: &str, valid: String) -> Diagnostic {
    let line = valid.split('\n').count();
    let column = valid.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let start = SourcePosition { line, column };
    let location = SourceLocation::new(&Source::new(name, valid), SourceSpan { start, end: start });
    Diagnostic::error(&Path::default(), "the file is not valid UTF-8 from this position", Some(location))
}
