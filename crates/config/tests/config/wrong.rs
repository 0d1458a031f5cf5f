//! The exact diagnostics of every invalid configuration under `tests/wrong/`.
//!
//! A case is a file that is loaded as `tarsy.yaml`, or a folder that is a complete configuration directory.
//! Its diagnostics are in the snapshot of the same name. To accept changed ones after reviewing them, run
//! `INSTA_UPDATE=always cargo test -p tarsy-config --test config wrong`.

use std::fs;
use std::path::{Path, PathBuf};

use tarsy_config::{Config, Environment};

/// Texts that must not occur in any diagnostic: values of variables, and literal secrets.
const NEVER_SHOWN: [&str; 3] = ["PLANTED-SECRET", "PLANTED-LATER", "LITERAL-SECRET"];

fn environment() -> Environment {
    [("SET", "value"), ("SECRET_WORD", "PLANTED-SECRET"), ("SECRET_LATER", "PLANTED-LATER")]
        .into_iter()
        .collect()
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<PathBuf> = paths
        .filter(|path| path.is_dir() || path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    cases.sort();
    cases
}

fn diagnostics(case: &Path) -> String {
    let directory = tempfile::tempdir().unwrap();
    let directory = if case.is_dir() {
        case
    } else {
        fs::copy(case, directory.path().join("tarsy.yaml")).unwrap();
        directory.path()
    };
    match Config::load(Some(directory), &environment()) {
        Ok(_) => panic!("{} loads without an error", case.display()),
        Err(diagnostics) => diagnostics.to_string(),
    }
}

#[test]
fn every_invalid_configuration_has_its_exact_diagnostics() {
    let cases = cases();
    assert!(cases.len() >= 45, "only {} cases", cases.len());
    for case in cases {
        let name = case.file_stem().unwrap().to_string_lossy().into_owned();
        let diagnostics = diagnostics(&case);
        for secret in NEVER_SHOWN {
            assert!(!diagnostics.contains(secret), "{name} shows a secret:\n{diagnostics}");
        }
        insta::with_settings!({ snapshot_path => "../wrong", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, diagnostics);
        });
    }
}

#[test]
fn a_missing_directory_is_an_error() {
    let diagnostics = Config::load(Some(Path::new("/nowhere/at/all")), &environment()).unwrap_err();
    assert_eq!(
        diagnostics.to_string(),
        "error: the configuration directory `/nowhere/at/all` does not exist"
    );
}
