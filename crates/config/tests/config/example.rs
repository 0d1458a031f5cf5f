//! The example in `config/` loads, and the schema next to it is current.

use std::fs;
use std::path::{Path, PathBuf};

use tarsy_config::{Config, Environment, Loaded, json_schema};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config")
}

#[test]
fn the_example_loads_without_any_variable() {
    let Loaded { config, warnings } = Config::load(Some(&example()), &Environment::default())
        .unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    assert_eq!(warnings, []);
    insta::assert_snapshot!(config.summary());
}

#[test]
fn the_example_uses_the_first_ready_provider() {
    let environment = [("ANTHROPIC_API_KEY", "x")].into_iter().collect();
    let config = Config::load(Some(&example()), &environment).unwrap().config;
    assert_eq!(config.default_provider(), "anthropic-default");
}

/// To regenerate the schema: `UPDATE_SCHEMA=1 cargo test -p tarsy-config --test config example`.
#[test]
fn the_checked_in_schema_is_current() {
    let path = example().join("tarsy.schema.json");
    let current = serde_json::to_string_pretty(&json_schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        fs::write(&path, &current).unwrap();
    }
    let checked_in = fs::read_to_string(&path).unwrap_or_default();
    assert!(checked_in == current, "run `UPDATE_SCHEMA=1 cargo test -p tarsy-config --test config example`");
}

/// Editors ignore unknown keywords, so a wrong keyword would go unnoticed.
#[test]
fn the_schema_lists_aliases_and_allows_references() {
    let schema = json_schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["title"], "TARSy configuration");
    let stage = &schema["$defs"]["StageConfig"]["properties"];
    assert_eq!(stage["failure_policy"]["deprecated"], true);
    insta::assert_snapshot!(serde_json::to_string_pretty(&stage["replicas"]).unwrap(), @r##"
    {
      "description": "Number of parallel runs of `agent`, or of the only entry of `agents`. 0 means 1.",
      "anyOf": [
        {
          "type": [
            "integer",
            "null"
          ],
          "format": "uint32",
          "minimum": 0,
          "maximum": 100
        },
        {
          "$ref": "#/$defs/Reference"
        }
      ]
    }
    "##);
}
