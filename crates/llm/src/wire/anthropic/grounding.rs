//! What a reply rests on, out of the blocks of the vendor's own tools.

use serde_json::Value;
use tarsy_domain::{Grounding, GroundingSource, GroundingSupport};

use super::block::Block;

/// Collects sources as they come by.
#[derive(Debug, Default)]
pub(super) struct Sources {
    grounding: Grounding,
}

impl Sources {
    /// Looks at a block that is complete; its text ended at this place of the whole text.
    pub(super) fn take(&mut self, block: &Block, text_end: usize) {
        match block.kind.as_str() {
            "server_tool_use" => self.take_query(block),
            "web_search_tool_result" | "web_fetch_tool_result" => {
                self.take_results(&block.value("content").unwrap_or_default());
            }
            "text" if !block.citations.is_empty() => self.take_citations(block, text_end),
            _ => {}
        }
    }

    /// All there is, if there is any.
    pub(super) fn complete(&mut self) -> Option<Grounding> {
        let grounding = std::mem::take(&mut self.grounding);
        let is_empty = grounding.queries.is_empty() && grounding.sources.is_empty();
        (!is_empty).then_some(grounding)
    }

    fn take_query(&mut self, block: &Block) {
        let input: Value = serde_json::from_str(&block.arguments()).unwrap_or_default();
        self.grounding.queries.extend(string(&input, "/query"));
    }

    /// A search gives a list of pages, fetching gives one page or an error.
    fn take_results(&mut self, content: &Value) {
        let results = content.as_array().map_or_else(|| std::slice::from_ref(content), Vec::as_slice);
        for result in results {
            let title = string(result, "/title").or_else(|| string(result, "/content/title"));
            if let Some(uri) = string(result, "/url") {
                self.source(uri, title.unwrap_or_default());
            }
        }
    }

    fn take_citations(&mut self, block: &Block, text_end: usize) {
        let mut source_indices = Vec::new();
        for citation in &block.citations {
            let Some(uri) = string(citation, "/url") else { continue };
            let index = self.source(uri, string(citation, "/title").unwrap_or_default());
            if !source_indices.contains(&index) {
                source_indices.push(index);
            }
        }
        let place = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        if !source_indices.is_empty() {
            self.grounding.supports.push(GroundingSupport {
                start_index: place(text_end.saturating_sub(block.text.len())),
                end_index: place(text_end),
                text: block.text.clone(),
                source_indices,
            });
        }
    }

    /// The place of a source in the list.
    fn source(&mut self, uri: String, title: String) -> u32 {
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
