//! Properties: every generated secret is masked wherever it occurs, and the syntax of texts stays valid.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use tarsy_masking::{CustomPattern, Ledger, Masker, Selection};

use crate::yaml;

fn all() -> Masker {
    static ALL: LazyLock<Masker> = LazyLock::new(|| Masker::new(&Selection::groups(["all"])).unwrap());
    ALL.clone()
}

fn mask(text: &str) -> String {
    all().mask(text, &mut Ledger::new(b"session")).text
}

/// A value that is recognized only by its context.
fn value() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9]{12,24}".prop_map(|value| format!("q7{value}Z"))
}

/// A value with a vendor's format.
fn token() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Za-z0-9]{36}".prop_map(|body| format!("ghp_{body}")),
        "[A-Z2-7]{16}".prop_map(|body| format!("AKIA{body}")),
        "[a-zA-Z0-9]{24}".prop_map(|body| format!("xoxb-123456789012-{body}")),
        "[a-zA-Z0-9_-]{40}".prop_map(|body| format!("eyJhbGciOiJIUzI1NiJ9.{body}.{body}")),
    ]
}

/// Text without secrets.
fn words() -> impl Strategy<Value = String> {
    proptest::collection::vec("[a-z]{1,8}|[0-9]{1,4}|[.,:;(){}\\[\\]\"'=/#|>-]|\u{fc}|\n|\t", 0..30)
        .prop_map(|words| words.join(" "))
}

/// JSON that contains `leaf` at any depth.
fn document(leaf: Value) -> impl Strategy<Value = Value> {
    let name = "[a-z]{1,6}";
    let other = prop_oneof![
        Just(json!(null)),
        any::<i32>().prop_map(|number| json!(number)),
        words().prop_map(|text| json!(text))
    ];
    let level = (proptest::collection::vec((name, other), 0..4), any::<bool>(), name);
    proptest::collection::vec(level, 0..4).prop_map(move |levels| {
        levels.into_iter().fold(leaf.clone(), |inner, (others, is_list, name)| {
            if is_list {
                Value::Array(others.into_iter().map(|(_, value)| value).chain([inner]).collect())
            } else {
                Value::Object(others.into_iter().chain([(format!("x{name}"), inner)]).collect())
            }
        })
    })
}

fn secret_object(value: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Secret", "data": {"a": value}, "metadata": {"name": "x"}})
}

/// Writes a value as YAML in block style; strings are quoted as in JSON.
fn block(value: &Value, indentation: usize, out: &mut String) {
    let margin = " ".repeat(indentation);
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            for (name, value) in entries {
                out.push_str(&format!("\n{margin}{name}:"));
                block(value, indentation + 2, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                out.push_str(&format!("\n{margin}-"));
                block(item, indentation + 2, out);
            }
        }
        Value::String(text) if text.chars().all(|char| char.is_ascii_alphanumeric()) && !text.is_empty() => {
            out.push_str(&format!(" {text}"));
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => {
            out.push_str(&format!(" {value}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn masks_tokens_in_any_text(before in words(), after in words(), token in token()) {
        let text = format!("{before} {token} {after}");
        prop_assert!(!mask(&text).contains(&token[6..]), "{}", mask(&text));
    }

    #[test]
    fn masks_values_of_secret_names(
        before in words(),
        after in words(),
        value in value(),
        name in "(DB_|my|x-)?(PASSWORD|token|apiKey|client_secret|secretAccessKey)",
        sign in prop_oneof![Just("="), Just(": "), Just("=\""), Just(":\""), Just("\": \""), Just("\":\"")],
    ) {
        let opens = sign.starts_with('"');
        let closes = sign.ends_with('"');
        let text = format!("{before}\n{}{name}{sign}{value}{} {after}", if opens { "\"" } else { "" }, if closes { "\"" } else { "" });
        prop_assert!(!mask(&text).contains(&value), "{}", mask(&text));
    }

    #[test]
    fn masks_secrets_in_json_and_keeps_it_valid(
        (value, document) in value().prop_flat_map(|value| {
            let document = document(secret_object(&value));
            (Just(value), document)
        }),
        pretty in any::<bool>(),
        wrapped in 0..3_usize,
    ) {
        let mut text = if pretty { serde_json::to_string_pretty(&document) } else { serde_json::to_string(&document) }.unwrap();
        for _ in 0..wrapped {
            text = json!({"message": text, "n": 1}).to_string();
        }
        let masked = mask(&text);
        prop_assert!(!masked.contains(&value), "{}", masked);
        prop_assert!(serde_json::from_str::<Value>(&masked).is_ok(), "{}", masked);
    }

    #[test]
    fn masks_secrets_in_yaml_and_keeps_it_valid(
        (value, document) in value().prop_flat_map(|value| {
            let document = document(secret_object(&value));
            (Just(value), document)
        }),
        tail in prop_oneof![Just(json!({"password": "q7unquotedZ9"})), Just(json!(["bob@example.com"]))],
    ) {
        let mut text = String::new();
        block(&json!({"first": document, "second": tail}), 0, &mut text);
        let before = yaml::outline(&text).unwrap();
        let masked = mask(&text);
        prop_assert!(!masked.contains(&value), "{}", masked);
        prop_assert_eq!(yaml::outline(&masked).unwrap_or_default(), before, "{}", masked);
    }

    #[test]
    fn placeholders_are_equal_exactly_for_equal_values(one in value(), other in value()) {
        prop_assume!(one != other);
        let masked = mask(&format!("a_token={one} b_token={other} c_token={one}"));
        let masks: Vec<&str> = masked.split(' ').map(|pair| pair.split_once('=').unwrap().1).collect();
        prop_assert_eq!(masks[0], masks[2]);
        prop_assert_ne!(masks[0], masks[1]);
    }

    #[test]
    fn masks_any_text_deterministically(text in "\\PC{0,200}") {
        let masked = mask(&text);
        prop_assert!(!masked.starts_with(tarsy_masking::WITHHELD));
        prop_assert_eq!(mask(&text), masked);
    }
}

#[test]
fn a_value_has_one_placeholder_in_every_syntax() {
    let texts = [
        r#"DB_PASSWORD=q7"hunter\Z9"#,
        r#"password: 'q7"hunter\Z9'"#,
        r#"{"password":"q7\"hunter\\Z9"}"#,
        r#"{"text":"{\"password\":\"q7\\\"hunter\\\\Z9\"}"}"#,
        r#"<password>q7"hunter\Z9</password>"#,
    ];
    let masked = mask(&texts.join("\n"));
    assert_eq!(masked.matches("[MASKED:password#1]").count(), 5, "{masked}");
}

#[test]
fn withholds_a_text_that_is_too_long() {
    let text = "password=q7hunterZ9 ".repeat(tarsy_masking::MAX_BYTES / 20 + 1);
    let masked = all().mask(&text, &mut Ledger::new(b"session"));
    assert!(masked.is_withheld() && masked.text.len() < 200);
}

#[test]
fn applies_custom_patterns_first() {
    let own = CustomPattern {
        name: "ticket".into(),
        pattern: r"(OPS-\d+) (\S+)".into(),
        replacement: "[TICKET] ${2}".into(),
    };
    let masker = Masker::new(&Selection { custom: vec![own], ..Selection::groups(["basic"]) }).unwrap();
    let masked = masker.mask("see OPS-17 password=q7hunterZ9", &mut Ledger::new(b"session"));
    assert_eq!(masked.text, "see [TICKET] password=[MASKED:password#1]");
    assert_eq!(
        masked.counts.into_iter().collect::<Vec<_>>(),
        [("password".to_owned(), 1), ("ticket".to_owned(), 1)]
    );
}

#[test]
fn an_empty_selection_changes_nothing() {
    let masker = Masker::new(&Selection::default()).unwrap();
    let text = "password=q7hunterZ9";
    assert_eq!(masker.mask(text, &mut Ledger::new(b"session")).text, text);
}

#[test]
fn rejects_unknown_names() {
    let error = |selection: Selection| Masker::new(&selection).unwrap_err().to_string();
    assert_eq!(error(Selection::groups(["basics"])), "unknown pattern group `basics`");
    assert_eq!(error(Selection::patterns(["e-mail"])), "unknown pattern `e-mail`");
}
