//! Paths of streamed arguments, such as `$.filter.labels[0]['odd key']`, and assignment by path.
//!
//! They are the normalized paths of RFC 9535: names and indexes only.

use serde_json::{Map, Value};

/// Maximum index in a list; a larger one is an error of the provider, not an argument.
const MAX_INDEX: usize = 10_000;
/// Maximum number of items that are missing before an index: lists are streamed in order. Without a limit, a
/// short path could allocate any amount of memory.
const MAX_GAP: usize = 16;
/// Maximum number of steps. A value that is nested more deeply cannot be parsed again, and one of a million
/// levels would exhaust the stack.
const MAX_STEPS: usize = 64;

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum PathStep {
    Key(String),
    Index(usize),
}

/// Parses a path; the `$` may be missing. Returns `None` if it is invalid.
pub(super) fn parse(path: &str) -> Option<Vec<PathStep>> {
    let mut steps = Vec::new();
    let mut rest = path.trim();
    match rest.strip_prefix('$') {
        Some(after) => rest = after,
        None if rest.starts_with('[') => {}
        None => {
            let (step, after) = name_step(rest)?;
            steps.push(step);
            rest = after;
        }
    }
    while !rest.is_empty() {
        let (step, after) = match rest.strip_prefix('.') {
            Some(name) => name_step(name)?,
            None => bracket_step(rest.strip_prefix('[')?)?,
        };
        steps.push(step);
        rest = after;
        if steps.len() > MAX_STEPS {
            return None;
        }
    }
    Some(steps)
}

fn name_step(text: &str) -> Option<(PathStep, &str)> {
    let end = text.find(['.', '[']).unwrap_or(text.len());
    (end > 0).then(|| (PathStep::Key(text[..end].to_owned()), &text[end..]))
}

fn bracket_step(text: &str) -> Option<(PathStep, &str)> {
    let Some(quote) = text.chars().next().filter(|first| matches!(first, '\'' | '"')) else {
        let (index, after) = text.split_once(']')?;
        let index = index.trim().parse().ok().filter(|index| *index <= MAX_INDEX)?;
        return Some((PathStep::Index(index), after));
    };
    let mut key = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((position, character)) = characters.next() {
        match character {
            '\\' => key.push(characters.next()?.1),
            _ if character == quote => {
                let after = text[position + 1..].strip_prefix(']')?;
                return Some((PathStep::Key(key), after));
            }
            _ => key.push(character),
        }
    }
    None
}

/// Returns the value at a path. Objects and lists on the way are created. Returns `None` if an index is far
/// behind the end of its list.
pub(super) fn value_at<'a>(root: &'a mut Value, path: &[PathStep]) -> Option<&'a mut Value> {
    path.iter().try_fold(root, |value, step| match step {
        PathStep::Key(key) => {
            if !value.is_object() {
                *value = Value::Object(Map::new());
            }
            Some(&mut value[key.as_str()])
        }
        PathStep::Index(index) => {
            let mut list = value.as_array_mut().map(std::mem::take).unwrap_or_default();
            if *index > list.len() + MAX_GAP {
                return None;
            }
            list.resize(list.len().max(index + 1), Value::Null);
            *value = Value::Array(list);
            Some(&mut value[*index])
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parses_names_indexes_and_quoted_names() {
        use PathStep::{Index, Key};
        let key = |name: &str| Key(name.to_owned());
        assert_eq!(parse("$"), Some(vec![]));
        assert_eq!(parse("$.a.b[0].c"), Some(vec![key("a"), key("b"), Index(0), key("c")]));
        assert_eq!(parse(r#"$['a.b']["c]"][2]"#), Some(vec![key("a.b"), key("c]"), Index(2)]));
        assert_eq!(parse(r"$['it\'s']"), Some(vec![key("it's")]));
        assert_eq!(parse("a.b"), Some(vec![key("a"), key("b")]));
        for invalid in ["", "$a", "$.", "$[x]", "$['a", "$[0", "$[99999999]", "$.a..b"] {
            assert_eq!(parse(invalid), None, "{invalid}");
        }
        assert!(parse(&format!("${}", "[0]".repeat(64))).is_some());
        assert_eq!(parse(&format!("${}", "[0]".repeat(65))), None);
    }

    #[test]
    fn creates_what_is_missing_on_the_way() {
        let mut root = json!({});
        *value_at(&mut root, &parse("$.a[1].b").unwrap()).unwrap() = json!(7);
        assert_eq!(root, json!({"a": [null, {"b": 7}]}));
        assert_eq!(value_at(&mut root, &parse("$.a[9000]").unwrap()), None);
    }
}
