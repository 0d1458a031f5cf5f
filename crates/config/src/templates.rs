//! Finds and reads the prompt templates in the folder `prompts` of a configuration directory.
//!
//! A template is a file whose name ends in `.md.j2`. Its content and name are validated by the code that
//! renders prompts.

use std::fs;
use std::path::Path as FilePath;

use crate::diagnostic::Diagnostic;
use crate::files::read_text;
use crate::path::Path;

/// A prompt template of a configuration directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFile {
    /// Name relative to the prompts folder, such as `parts/alert.md.j2`.
    pub name: String,
    /// Path relative to the configuration directory, such as `prompts/parts/alert.md.j2`.
    pub path: String,
    /// Text of the template.
    pub source: String,
}

/// The templates of a directory, sorted by name, and the diagnostics of reading them.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    pub(crate) files: Vec<TemplateFile>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

const FOLDER: &str = "prompts";
const EXTENSION: &str = ".md.j2";
const MAX_BYTES: u64 = 256 * 1024;
/// Maximum depth of folders, `prompts` included. It also ends cycles of symbolic links.
const MAX_DEPTH: usize = 3;

impl Templates {
    pub(crate) fn in_directory(directory: &FilePath) -> Self {
        let mut templates = Self::default();
        if directory.join(FOLDER).exists() {
            templates.read_folder(directory, FOLDER, 1);
        }
        templates
    }

    fn read_folder(&mut self, directory: &FilePath, folder: &str, depth: usize) {
        let names = match names_in(&directory.join(folder)) {
            Ok(names) => names,
            Err(error) => return self.error(format!("cannot read the folder `{folder}`: {error}")),
        };
        for name in names {
            let path = format!("{folder}/{name}");
            let is_folder = directory.join(&path).is_dir();
            if is_folder && depth < MAX_DEPTH {
                self.read_folder(directory, &path, depth + 1);
            } else if is_folder || !name.ends_with(EXTENSION) {
                let message =
                    format!("`{path}` is ignored; the name of a prompt template must end in `{EXTENSION}`");
                self.diagnostics.push(Diagnostic::warning(&Path::default(), message, None));
            } else {
                self.read_file(directory, path);
            }
        }
    }

    fn read_file(&mut self, directory: &FilePath, path: String) {
        if fs::metadata(directory.join(&path)).is_ok_and(|metadata| metadata.len() > MAX_BYTES) {
            return self.error(format!(
                "`{path}` is larger than {} KiB, the maximum size of a prompt template",
                MAX_BYTES / 1024
            ));
        }
        match read_text(directory, &path) {
            Ok(source) => {
                let name = path.trim_start_matches(FOLDER).trim_start_matches('/').to_owned();
                self.files.push(TemplateFile { name, path, source: source.text });
            }
            Err(diagnostic) => self.diagnostics.push(*diagnostic),
        }
    }

    fn error(&mut self, message: String) {
        self.diagnostics.push(Diagnostic::error(&Path::default(), message, None));
    }
}

/// Returns the sorted names in a folder. Hidden names are skipped: in a mounted ConfigMap, Kubernetes keeps
/// the targets of its symbolic links there.
fn names_in(folder: &FilePath) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}
