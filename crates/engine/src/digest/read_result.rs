//! The built-in tool `read_result`, with which an agent reads a result that was shortened.
//!
//! It belongs to no MCP server. The caller parses the arguments, loads the full text by its id and reads a
//! page of it; storage is not handled here.

use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value, json};
use tarsy_domain::{READ_RESULT, ToolDefinition, bytes_that_fit, resolve_tool_name};
use tarsy_tools::{Grep, PageRequest, read_arguments, read_page};

/// Default number of lines around a match.
const DEFAULT_CONTEXT: usize = 2;
/// Minimum size of a page. A page contains at least one line even if the agent's limit is lower; otherwise
/// reading would not advance.
const MIN_PAGE_BYTES: usize = 2000;

/// The parsed arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadResult {
    /// The id of the result.
    pub(crate) id: String,
    /// The part to read.
    pub(crate) page: PageRequest,
}

/// Returns the definition of the tool.
pub(crate) fn read_result_definition() -> Arc<ToolDefinition> {
    static DEFINITION: LazyLock<Arc<ToolDefinition>> = LazyLock::new(|| Arc::new(describe()));
    Arc::clone(&DEFINITION)
}

fn describe() -> ToolDefinition {
    let line = |what: &str| json!({ "type": "integer", "minimum": 1, "description": what });
    ToolDefinition {
        name: READ_RESULT.to_owned(),
        description:
            "Reads an earlier tool result that you have only in part: a range of its lines, or the lines that \
             match a pattern. The note at the end of a shortened result contains its id."
                .to_owned(),
        input_schema: json!({
            "type": "object",
            "required": ["id"],
            "additionalProperties": false,
            "properties": {
                "id": { "type": "string", "description": "Id of the result." },
                "from": line("First line to read or to search. Default: 1."),
                "to": line("Last line to read. Not together with a pattern."),
                "pattern": {
                    "type": "string",
                    "description": "Regular expression, not case-sensitive. Only lines that match it are shown.",
                },
                "context": {
                    "type": "integer", "minimum": 0, "maximum": 20,
                    "description": "Number of lines to show before and after each match. Default: 2.",
                },
            },
        }),
    }
}

/// Returns the error for an id that no result has.
pub(crate) fn unknown_result(id: &str, known: &[&str]) -> String {
    match known {
        [] => format!("there is no result with the id {id:?}: no result was shortened so far"),
        known => format!("there is no result with the id {id:?}; there are: {}", known.join(", ")),
    }
}

impl ReadResult {
    /// Returns whether a name that a model wrote refers to this tool.
    pub(crate) fn is_meant_by(name: &str) -> bool {
        resolve_tool_name(name, [READ_RESULT]).is_ok()
    }

    /// Parses the arguments of a call. The error is for the model.
    pub(crate) fn parse(arguments: &str) -> Result<Self, String> {
        let arguments = read_arguments(&read_result_definition().input_schema, arguments)?;
        let from = number(&arguments, "from").unwrap_or(1);
        let to = number(&arguments, "to");
        let page = match (text(&arguments, "pattern"), to) {
            (Some(_), Some(_)) => return Err("give either `to` or `pattern`, not both".to_owned()),
            (Some(pattern), None) => {
                let context = number(&arguments, "context").unwrap_or(DEFAULT_CONTEXT);
                PageRequest::Grep(Grep { pattern, context, from })
            }
            (None, Some(to)) if to < from => {
                return Err(format!("`to` is {to} and must not be before `from`, which is {from}"));
            }
            (None, to) => PageRequest::Lines { from, to: to.unwrap_or(usize::MAX) },
        };
        Ok(Self { id: text(&arguments, "id").unwrap_or_default(), page })
    }

    /// Reads a page of at most `max_tokens` tokens of the full text. The error is for the model.
    pub(crate) fn read(&self, full_text: &str, max_tokens: usize) -> Result<String, String> {
        let max_bytes = bytes_that_fit(max_tokens).max(MIN_PAGE_BYTES);
        Ok(read_page(full_text, &self.page, max_bytes)?.text)
    }
}

fn text(arguments: &Map<String, Value>, name: &str) -> Option<String> {
    arguments.get(name)?.as_str().map(str::to_owned)
}

fn number(arguments: &Map<String, Value>, name: &str) -> Option<usize> {
    arguments.get(name)?.as_u64().and_then(|number| usize::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "start\nGET /a\nERROR one\nGET /b\nGET /c\nGET /d\nerror two\nend";

    fn read(arguments: &str) -> Result<String, String> {
        ReadResult::parse(arguments)?.read(LOG, 5000)
    }

    #[test]
    fn reads_lines_or_matches() {
        let cases = [
            (r#"{"id": "r", "from": 2, "to": 3}"#, "2: GET /a\n3: ERROR one\n[End: the result has 8 lines.]"),
            (r#"{"id": "r", "from": 8}"#, "8: end\n[End: the result has 8 lines.]"),
            (
                r#"{"id": "r", "pattern": "^error", "context": 0}"#,
                "3: ERROR one\n--\n7: error two\n[End: the result has 8 lines.]",
            ),
            (
                r#"{"id": "r", "pattern": "two", "from": 7}"#,
                "7: error two\n8: end\n[End: the result has 8 lines.]",
            ),
        ];
        for (arguments, expected) in cases {
            assert_eq!(read(arguments).as_deref(), Ok(expected), "{arguments}");
        }
    }

    #[test]
    fn explains_invalid_arguments() {
        let cases = [
            (r#"{"id": "r", "from": 3, "to": 2}"#, "`to` is 2 and must not be before `from`, which is 3"),
            (r#"{"id": "r", "to": 2, "pattern": "a"}"#, "give either `to` or `pattern`, not both"),
            (r#"{"from": 0}"#, "the arguments do not match the schema of the tool:\n- "),
            ("{", "the arguments are not valid JSON: "),
            (r#"{"id": "r", "pattern": "("}"#, "the pattern is not a valid regular expression: "),
        ];
        for (arguments, expected) in cases {
            let wrong = read(arguments).unwrap_err();
            assert!(wrong.starts_with(expected), "{arguments}: {wrong}");
        }
    }

    #[test]
    fn lists_the_known_ids_for_an_unknown_one() {
        assert_eq!(
            unknown_result("x", &["a", "b"]),
            r#"there is no result with the id "x"; there are: a, b"#
        );
        assert!(unknown_result("x", &[]).ends_with("no result was shortened so far"));
    }

    #[test]
    fn accepts_the_spellings_that_models_use() {
        assert!(
            ["read_result", "tarsy__read_result", "`Read_Result`"].into_iter().all(ReadResult::is_meant_by)
        );
        assert!(!ReadResult::is_meant_by("kubernetes.pods_list"));
    }

    #[test]
    fn a_page_has_room_for_a_long_line() {
        let long = format!("{}\nend", "x".repeat(5000));
        let page = ReadResult::parse(r#"{"id": "r", "from": 6}"#).unwrap().read(&long, 1).unwrap();
        assert_eq!(page, "6: end\n[End: the result has 6 lines.]");
        let first = ReadResult::parse(r#"{"id": "r"}"#).unwrap().read(&long, 1).unwrap();
        assert!(first.starts_with("1: xxx") && first.ends_with("continue with line 2 of 6.]"), "{first}");
    }
}
