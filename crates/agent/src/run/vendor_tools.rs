//! Timeline entries for tools that the model vendor runs: code execution, web search and web pages.
//!
//! The JSON keys of the metadata are part of the API and of recorded sessions.

use serde_json::{Value, json};
use tarsy_domain::{CodeExecution, Grounding, GroundingSource, ModelReply, TimelineEventType};

/// Maximum size of the code and of its output in an entry, in bytes. The recorded reply has the whole text.
const MAX_TEXT_BYTES: usize = 16 * 1024;
/// Maximum number of queries and of sources in an entry.
const MAX_ITEMS: usize = 50;
/// Maximum size of a query, title or URI in an entry, in bytes.
const MAX_ITEM_BYTES: usize = 2048;

/// The use of a vendor tool.
#[derive(Debug)]
pub(super) struct VendorToolUse {
    pub(super) event_type: TimelineEventType,
    pub(super) content: String,
    /// A JSON object.
    pub(super) metadata: Value,
}

/// Returns one entry for each code execution and each grounding of a reply.
pub(super) fn vendor_tool_uses(reply: &ModelReply) -> impl Iterator<Item = VendorToolUse> {
    let executions = reply.code_executions.iter().filter_map(code_execution);
    executions.chain(reply.groundings.iter().filter_map(grounding))
}

fn code_execution(execution: &CodeExecution) -> Option<VendorToolUse> {
    let (code, result) = (execution.code.trim_end(), execution.result.trim_end());
    if code.is_empty() && result.is_empty() {
        return None;
    }
    let parts = [("Code", code), ("Output", result)].into_iter().filter(|(_, text)| !text.is_empty());
    let parts: Vec<String> =
        parts.map(|(label, text)| format!("{label}:\n{}", cut(text, MAX_TEXT_BYTES))).collect();
    let metadata = json!({ "code_bytes": execution.code.len(), "output_bytes": execution.result.len() });
    let content = parts.join("\n\n");
    Some(VendorToolUse { event_type: TimelineEventType::CodeExecution, content, metadata })
}

/// Returns the entry for a grounding. One with queries is a web search; one with sources only is a page that
/// the vendor read.
fn grounding(grounding: &Grounding) -> Option<VendorToolUse> {
    let queries: Vec<String> = grounding.queries.iter().take(MAX_ITEMS).map(|query| item(query)).collect();
    let sources: Vec<&GroundingSource> = grounding.sources.iter().take(MAX_ITEMS).collect();
    let event_type = match (queries.is_empty(), sources.is_empty()) {
        (true, true) => return None,
        (false, _) => TimelineEventType::GoogleSearchResult,
        (true, false) => TimelineEventType::UrlContextResult,
    };
    let lines = queries.iter().map(|query| format!("Query: {query}"));
    let content: Vec<String> = lines.chain(sources.iter().map(|source| source_line(source))).collect();
    let sources: Vec<Value> = sources
        .iter()
        .map(|source| json!({ "uri": item(&source.uri), "title": item(&source.title) }))
        .collect();
    let metadata = json!({
        "queries": queries,
        "sources": sources,
        "query_count": grounding.queries.len(),
        "source_count": grounding.sources.len(),
    });
    Some(VendorToolUse { event_type, content: content.join("\n"), metadata })
}

fn source_line(source: &GroundingSource) -> String {
    match (source.title.trim(), source.uri.trim()) {
        ("", uri) => format!("- {}", item(uri)),
        (title, "") => format!("- {}", item(title)),
        (title, uri) => format!("- {} ({})", item(title), item(uri)),
    }
}

/// Returns a text on one line, cut to the maximum size.
fn item(text: &str) -> String {
    cut(text, MAX_ITEM_BYTES).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    format!("{}… ({} bytes)", &text[..text.floor_char_boundary(max_bytes)], text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(reply: &ModelReply) -> Vec<(TimelineEventType, String)> {
        vendor_tool_uses(reply).map(|entry| (entry.event_type, entry.content)).collect()
    }

    fn source(uri: &str, title: &str) -> GroundingSource {
        GroundingSource { uri: uri.to_owned(), title: title.to_owned() }
    }

    #[test]
    fn a_reply_has_one_entry_for_each_use_of_a_vendor_tool() {
        let code = CodeExecution { code: "print(6*7)\n".to_owned(), result: "42\n".to_owned() };
        let search = Grounding {
            queries: vec!["disk  full".to_owned()],
            sources: vec![source("https://h/a", "Page\nA"), source("https://h/b", "")],
            ..Grounding::default()
        };
        let page = Grounding { sources: vec![source("https://h/c", "C")], ..Grounding::default() };
        let reply = ModelReply {
            code_executions: vec![code, CodeExecution::default()],
            groundings: vec![search, page, Grounding::default()],
            ..ModelReply::default()
        };
        let found = entries(&reply);
        assert_eq!(
            found,
            [
                (TimelineEventType::CodeExecution, "Code:\nprint(6*7)\n\nOutput:\n42".to_owned()),
                (
                    TimelineEventType::GoogleSearchResult,
                    "Query: disk full\n- Page A (https://h/a)\n- https://h/b".to_owned()
                ),
                (TimelineEventType::UrlContextResult, "- C (https://h/c)".to_owned()),
            ]
        );
        let metadata: Vec<_> = vendor_tool_uses(&reply).map(|entry| entry.metadata).collect();
        assert_eq!(metadata[0], json!({ "code_bytes": 11, "output_bytes": 3 }));
        let sources =
            json!([{ "uri": "https://h/a", "title": "Page A" }, { "uri": "https://h/b", "title": "" }]);
        let expected =
            json!({ "queries": ["disk full"], "sources": sources, "query_count": 1, "source_count": 2 });
        assert_eq!(metadata[1], expected);
        assert!(entries(&ModelReply::default()).is_empty());
    }

    #[test]
    fn long_texts_are_cut_at_a_character_boundary() {
        let code = CodeExecution { code: "ü".repeat(MAX_TEXT_BYTES), result: String::new() };
        let grounding = Grounding {
            queries: vec!["q".to_owned(); 2 * MAX_ITEMS],
            sources: vec![source(&"u".repeat(3000), ""); 2 * MAX_ITEMS],
            ..Grounding::default()
        };
        let reply =
            ModelReply { code_executions: vec![code], groundings: vec![grounding], ..ModelReply::default() };
        let found: Vec<_> = vendor_tool_uses(&reply).collect();
        assert!(
            found[0].content.len() < MAX_TEXT_BYTES + 100 && found[0].content.ends_with("… (32768 bytes)")
        );
        assert_eq!(found[1].metadata["queries"].as_array().unwrap().len(), MAX_ITEMS);
        assert_eq!(found[1].metadata["source_count"], 100);
        assert!(found[1].content.len() < MAX_ITEMS * (MAX_ITEM_BYTES + 100));
    }
}
