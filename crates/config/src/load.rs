//! Loads files and the environment into a validated [`Config`], or returns all diagnostics.
//!
//! The steps: read each file by its shape, join the files, decode, check the rules, merge the built-ins. Each
//! step works on everything that the previous one could read, so that all errors are reported together.

use std::collections::BTreeMap;
use std::convert::identity;
use std::path::Path as FilePath;
use std::sync::Arc;

use serde_json::Value;

use crate::config::{Config, Origins};
use crate::diagnostic::{Diagnostic, Diagnostics, Severity, SourceLocation};
use crate::env_file::EnvFile;
use crate::file::{ChainConfig, ConfigFile};
use crate::files::ConfigSources;
use crate::locations::Locations;
use crate::path::Path;
use crate::reader::{self, Document};
use crate::shape::{CONFIG_FILE, PROVIDERS_FILE, Shape};
use crate::source::{Source, SourceSpan};
use crate::tree::{Node, NodeKey, NodeKind};
use crate::{Environment, builtin, rules, view, yaml};

/// A configuration and its warnings.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// Warnings, in file order.
    pub warnings: Vec<Diagnostic>,
}

impl Config {
    /// Loads the configuration of a directory, or the built-in configuration if there is none.
    ///
    /// The file `.env` of the directory adds variables to the environment; see [`Config::environment`].
    ///
    /// On error, the diagnostics contain the errors and warnings of all files.
    pub fn load(directory: Option<&FilePath>, environment: &Environment) -> Result<Loaded, Diagnostics> {
        let env_file = directory.map(EnvFile::in_directory).unwrap_or_default();
        let mut files = directory.map(ConfigSources::in_directory).unwrap_or_default();
        files.diagnostics.extend(env_file.diagnostics);
        let mut loaded = load_files(files, &environment.or(env_file.variables))?;
        if let Some(directory) = directory {
            loaded.config.resolve_paths_in(directory);
        }
        Ok(loaded)
    }
}

pub(crate) fn load_files(files: ConfigSources, environment: &Environment) -> Result<Loaded, Diagnostics> {
    let builtin = builtin::read(environment);
    let mut document = read_files(&files, environment);
    let mut diagnostics = files.diagnostics;
    diagnostics.append(&mut document.diagnostics);
    // An error in a built-in is caused by the value of a variable; everything else works without that entry.
    let of_builtin = builtin.diagnostics.into_iter();
    diagnostics.extend(of_builtin.map(|error| Diagnostic { severity: Severity::Warning, ..error }));

    let builtin_file = decode(builtin.value, &mut diagnostics);
    let file = decode(std::mem::take(&mut document.value), &mut diagnostics);
    diagnostics.extend(rules::check(&file, &builtin_file, &document.locations, environment));

    let diagnostics = Diagnostics::new(diagnostics);
    if diagnostics.error_count() > 0 {
        return Err(diagnostics);
    }
    let shown = view::Shown::new(builtin.shown, document.shown);
    let config = Config::new(merge(file, builtin_file), environment, shown, files.templates);
    Ok(Loaded { config, warnings: diagnostics.into_vec() })
}

/// Reads all files into one document.
fn read_files(files: &ConfigSources, environment: &Environment) -> Document {
    let mut document = match &files.main {
        Some(source) => read_file(source, &CONFIG_FILE, environment, identity),
        None => empty_document(),
    };
    let mut unreadable = files.providers_unreadable;
    if let Some(source) = &files.providers {
        let providers = read_file(source, &PROVIDERS_FILE, environment, under_llm_providers);
        unreadable |= providers.locations.get(&Path::default()).is_none();
        join(&mut document, providers);
    }
    if unreadable {
        // The file may define any provider, so no reference to a provider is reported as unknown.
        document.locations.mark_invalid(Path::default().key("llm_providers"));
    }
    document
}

fn read_file(
    source: &Arc<Source>,
    shape: &Shape,
    environment: &Environment,
    prepare: fn(Node) -> Node,
) -> Document {
    let (node, errors) = yaml::parse(&source.text);
    let read = |node| reader::read(source, &prepare(node), shape, environment);
    let mut document = node.map_or_else(empty_document, read);
    let errors = errors.into_iter().map(|error| {
        Diagnostic::error(&Path::default(), error.message, Some(SourceLocation::new(source, error.span)))
    });
    document.diagnostics.extend(errors);
    document
}

fn empty_document() -> Document {
    let empty = || Value::Object(serde_json::Map::new());
    Document { value: empty(), shown: empty(), locations: Locations::default(), diagnostics: Vec::new() }
}

/// Moves providers at the top level of a file, the layout of the first generation, under `llm_providers`.
fn under_llm_providers(node: Node) -> Node {
    let NodeKind::Mapping(entries) = &node.kind else { return node };
    let has_type = |entries: &[(NodeKey, Node)]| entries.iter().any(|(key, _)| key.text == "type");
    let is_provider = |value: &Node| matches!(&value.kind, NodeKind::Mapping(entries) if has_type(entries));
    if entries.is_empty() || !entries.iter().all(|(_, value)| is_provider(value)) {
        return node;
    }
    let key = NodeKey { text: "llm_providers".to_owned(), span: SourceSpan::START };
    Node { span: node.span, kind: NodeKind::Mapping(vec![(key, node)]) }
}

/// Merges the document of `llm-providers.yaml`. A provider that both files define is an error.
fn join(document: &mut Document, providers: Document) {
    let section = "llm_providers";
    let twice: Vec<Path> = providers
        .locations
        .names(section)
        .map(|name| Path::entry(section, name))
        .filter(|path| document.locations.get(path).is_some())
        .collect();
    for path in twice {
        let message = format!(
            "this provider is already defined at {}; remove one of the definitions",
            document.locations.line(&path)
        );
        document.diagnostics.push(providers.locations.error_at_key(&path, message));
    }
    for (into, from) in [(&mut document.value, providers.value), (&mut document.shown, providers.shown)] {
        let Value::Object(mut from) = from else { continue };
        let Some(Value::Object(from)) = from.remove(section) else { continue };
        if !into[section].is_object() {
            into[section] = Value::Object(serde_json::Map::new());
        }
        if let Some(into) = into[section].as_object_mut() {
            into.extend(from);
        }
    }
    document.locations.extend(providers.locations);
    document.diagnostics.extend(providers.diagnostics);
}

/// Decodes the output of the reader. A failure is a bug of the reader and is reported as one.
fn decode(value: Value, diagnostics: &mut Vec<Diagnostic>) -> ConfigFile {
    serde_json::from_value(value).unwrap_or_else(|_| {
        // The error may contain the value of a variable.
        let message = "internal error: the configuration was read but cannot be decoded; please report this";
        diagnostics.push(Diagnostic::error(&Path::default(), message, None));
        ConfigFile::default()
    })
}

/// Merges the built-ins with the entries of files, which take precedence.
fn merge(file: ConfigFile, builtin: ConfigFile) -> (ConfigFile, Origins) {
    let origins = Origins::of(&file);
    let agent_chains = merge_chains(file.agent_chains, builtin.agent_chains);
    let merged = ConfigFile {
        agents: merge_maps(file.agents, builtin.agents),
        mcp_servers: merge_maps(file.mcp_servers, builtin.mcp_servers),
        llm_providers: merge_maps(file.llm_providers, builtin.llm_providers),
        agent_chains,
        models: file.models,
        system: file.system,
        queue: file.queue,
        defaults: file.defaults,
    };
    (merged, origins)
}

fn merge_maps<T>(file: BTreeMap<String, T>, mut builtin: BTreeMap<String, T>) -> BTreeMap<String, T> {
    builtin.extend(file);
    builtin
}

/// Removes from built-in chains the alert types that chains of files handle, and drops chains without any.
fn merge_chains(
    file: BTreeMap<String, ChainConfig>,
    mut builtin: BTreeMap<String, ChainConfig>,
) -> BTreeMap<String, ChainConfig> {
    let is_taken = |alert_type: &String| file.values().any(|chain| chain.alert_types.contains(alert_type));
    for chain in builtin.values_mut() {
        chain.alert_types.retain(|alert_type| !is_taken(alert_type));
    }
    builtin.retain(|_, chain| !chain.alert_types.is_empty());
    merge_maps(file, builtin)
}
