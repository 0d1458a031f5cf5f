//! Sources of a reply, from the blocks of the vendor's own tools.

use serde_json::Value;
use tarsy_domain::{Grounding, GroundingSource, GroundingSupport};

use super::block::ReplyBlock;

/// Collects sources from the blocks of a reply.
#[derive(Debug, Default)]
pub(super) struct Sources {
    grounding: Grounding,
}

impl Sources {
    /// Adds the sources of a complete block whose text ends at byte `text_end` of the whole text.
    pub(super) fn add(&mut self, block: &ReplyBlock, text_end: usize) {
        match block.kind.as_str() {
            "server_tool_use" => self.add_query(block),
            "web_search_tool_result" | "web_fetch_tool_result" => {
                self.add_results(&block.value("content").unwrap_or_default());
            }
            "text" if !block.citations.is_empty() => self.add_citations(block, text_end),
            _ => {}
        }
    }

    /// Returns the collected sources, if there are any.
    pub(super) fn complete(&mut self) -> Option<Grounding> {
        let grounding = std::mem::take(&mut self.grounding);
        let is_empty = grounding.queries.is_empty() && grounding.sources.is_empty();
        (!is_empty).then_some(grounding)
    }

    fn add_query(&mut self, block: &ReplyBlock) {
        let input: Value = serde_json::from_str(&block.arguments()).unwrap_or_default();
        self.grounding.queries.extend(string(&input, "/query"));
    }

    /// Adds the pages of a tool result. A search returns a list of pages; a fetch returns one page or an
    /// error.
    fn add_results(&mut self, content: &Value) {
        let results = content.as_array().map_or_else(|| std::slice::from_ref(content), Vec::as_slice);
        for result in results {
            let title = string(result, "/title").or_else(|| string(result, "/content/title"));
            if let Some(uri) = string(result, "/url") {
                self.source_index(uri, title.unwrap_or_default());
            }
        }
    }

    fn add_citations(&mut self, block: &ReplyBlock, text_end: usize) {
        let mut source_indices = Vec::new();
        for citation in &block.citations {
            let Some(uri) = string(citation, "/url") else { continue };
            let index = self.source_index(uri, string(citation, "/title").unwrap_or_default());
            if !source_indices.contains(&index) {
                source_indices.push(index);
            }
        }
        let offset = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        if !source_indices.is_empty() {
            self.grounding.supports.push(GroundingSupport {
                start_index: offset(text_end.saturating_sub(block.text.len())),
                end_index: offset(text_end),
                text: block.text.clone(),
                source_indices,
            });
        }
    }

    /// Returns the index of a source in the list and adds it if it is new.
    fn source_index(&mut self, uri: String, title: String) -> u32 {
        let sources = &mut self.grounding.sources;
        let known = sources.iter().position(|source| source.uri == uri);
        let index = known.unwrap_or_else(|| {
            sources.push(GroundingSource { uri, title });
            sources.len() - 1
        });
        u32::try_from(index).unwrap_or(u32::MAX)
    }
}

fn string(value: &Value, path: &str) -> Option<String> {
    value.pointer(path).and_then(Value::as_str).map(str::to_owned)
}
