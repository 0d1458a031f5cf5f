//! The prompt templates of a configuration directory.

use std::fs;
use std::path::Path;

use tarsy_config::{Config, Diagnostics, Environment, Loaded};

/// Loads a directory with these files in its `prompts` folder.
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
fn templates_are_found_in_the_folder_and_its_subfolders() {
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
fn warns_about_other_files_in_the_folder() {
    let Loaded { config, warnings } =
        load(&[("stage.md", b""), ("stage.md.j2~", b""), ("a/b/c/d.md.j2", b"")]).unwrap();
    assert_eq!(config.templates(), []);
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(warnings.join("\n"), @r"
    warning: `prompts/a/b/c` is ignored; the name of a prompt template must end in `.md.j2`
    warning: `prompts/stage.md` is ignored; the name of a prompt template must end in `.md.j2`
    warning: `prompts/stage.md.j2~` is ignored; the name of a prompt template must end in `.md.j2`
    ");
}

#[test]
fn unreadable_templates_are_errors() {
    let large = vec![b'a'; 256 * 1024 + 1];
    let errors = load(&[("chat.md.j2", &large), ("stage.md.j2", b"one\ntw\xff")]).unwrap_err();
    insta::assert_snapshot!(errors, @r"
    error: `prompts/chat.md.j2` is larger than 256 KiB, the maximum size of a prompt template

    error: the file is not valid UTF-8 from this position
     --> prompts/stage.md.j2:2:3
      |
    2 | tw
      |   ^
    ");
}

#[test]
fn a_file_named_prompts_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("prompts"), "").unwrap();
    let errors = load_directory(directory.path()).unwrap_err().to_string();
    assert!(errors.starts_with("error: cannot read the folder `prompts`: "), "{errors}");
}

#[cfg(unix)]
#[test]
fn cyclic_links_are_not_followed_forever() {
    let directory = tempfile::tempdir().unwrap();
    let prompts = directory.path().join("prompts");
    fs::create_dir(&prompts).unwrap();
    std::os::unix::fs::symlink(&prompts, prompts.join("again")).unwrap();
    std::os::unix::fs::symlink("nowhere", prompts.join("chat.md.j2")).unwrap();
    let errors = load_directory(directory.path()).unwrap_err().to_string();
    assert!(errors.contains("cannot read `prompts/chat.md.j2`: "), "{errors}");
}
