//! The prompt templates of a configuration directory: which are found, and which cannot be used.

use std::fs;
use std::path::Path;

use tarsy_config::{Config, Diagnostics, Environment, Loaded};

/// Loads a directory with these files in its folder of prompts.
fn load(files: &[(&str, &[u8])]) -> Result<Loaded, Diagnostics> {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("tarsy.yaml"), "").unwrap();
    for (name, content) in files {
        let path = directory.path().join("prompts").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    load_directory(directory.path())
}

fn load_directory(directory: &Path) -> Result<Loaded, Diagnostics> {
    Config::load(Some(directory), &Environment::default())
}

#[test]
fn templates_are_found_in_the_folder_and_in_folders_within_it() {
    let Loaded { config, warnings } = load(&[
        ("stage.md.j2", b"\xef\xbb\xbfa"),
        ("parts/alert.md.j2", b"b"),
        (".hidden/x.md.j2", b"c"),
        (".x", b""),
    ])
    .unwrap();
    let found: Vec<_> = config
        .templates()
        .iter()
        .map(|file| (file.name.as_str(), file.path.as_str(), file.source.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("parts/alert.md.j2", "prompts/parts/alert.md.j2", "b"),
            ("stage.md.j2", "prompts/stage.md.j2", "a"),
        ]
    );
    assert_eq!(warnings, []);
}

#[test]
fn a_directory_without_prompts_has_no_templates() {
    assert_eq!(load(&[]).unwrap().config.templates(), []);
}

#[test]
fn other_files_among_the_prompts_are_worth_a_warning() {
    let Loaded { config, warnings } =
        load(&[("stage.md", b""), ("stage.md.j2~", b""), ("a/b/c/d.md.j2", b"")]).unwrap();
    assert_eq!(config.templates(), []);
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(warnings.join("\n"), @r"
    warning: `prompts/a/b/c` is not read; the name of a prompt template ends in `.md.j2`
    warning: `prompts/stage.md` is not read; the name of a prompt template ends in `.md.j2`
    warning: `prompts/stage.md.j2~` is not read; the name of a prompt template ends in `.md.j2`
    ");
}

#[test]
fn templates_that_cannot_be_read_are_faults() {
    let large = vec![b'a'; 256 * 1024 + 1];
    let faults = load(&[("chat.md.j2", &large), ("stage.md.j2", b"one\ntw\xff")]).unwrap_err();
    insta::assert_snapshot!(faults, @r"
    error: `prompts/chat.md.j2` is larger than 256 KiB, too large for a prompt

    error: the file is not UTF-8 text from here on
     --> prompts/stage.md.j2:2:3
      |
    2 | tw
      |   ^
    ");
}

#[test]
fn a_file_in_place_of_the_folder_is_a_fault() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("prompts"), "").unwrap();
    let faults = load_directory(directory.path()).unwrap_err().to_string();
    assert!(faults.starts_with("error: reading the folder `prompts`: "), "{faults}");
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_a_circle_come_to_an_end() {
    let directory = tempfile::tempdir().unwrap();
    let prompts = directory.path().join("prompts");
    fs::create_dir(&prompts).unwrap();
    std::os::unix::fs::symlink(&prompts, prompts.join("again")).unwrap();
    std::os::unix::fs::symlink("nowhere", prompts.join("chat.md.j2")).unwrap();
    let faults = load_directory(directory.path()).unwrap_err().to_string();
    assert!(faults.contains("reading `prompts/chat.md.j2`: "), "{faults}");
}
