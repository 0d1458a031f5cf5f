//! Web sources of a reply and code that Gemini ran.

use tarsy_domain::{CodeExecution, Grounding, GroundingSource, GroundingSupport};

use super::fields::JsonFields;

/// Merges the sources of an event. Lists of later events replace earlier ones; missing lists do not.
pub(super) fn add_grounding(grounding: &mut Grounding, metadata: &JsonFields) {
    let queries: Vec<String> = metadata.value("webSearchQueries").unwrap_or_default();
    let sources: Vec<_> = metadata.objects("groundingChunks").iter().map(source).collect();
    let supports: Vec<_> = metadata.objects("groundingSupports").iter().map(support).collect();
    let html = metadata.object("searchEntryPoint").and_then(|entry| entry.text("renderedContent"));
    replace(&mut grounding.queries, queries);
    replace(&mut grounding.sources, sources);
    replace(&mut grounding.supports, supports);
    if let Some(html) = html {
        grounding.search_entry_point_html = html;
    }
}

fn replace<T>(known: &mut Vec<T>, new: Vec<T>) {
    if !new.is_empty() {
        *known = new;
    }
}

/// Converts a source. One that is not a web page keeps its position, because sources are referenced by index.
fn source(chunk: &JsonFields) -> GroundingSource {
    let web = chunk.object("web").unwrap_or_default();
    let text = |name| web.text(name).unwrap_or_default();
    GroundingSource { uri: text("uri"), title: text("title") }
}

fn support(support: &JsonFields) -> GroundingSupport {
    let segment = support.object("segment").unwrap_or_default();
    let index = |name| segment.value(name).unwrap_or_default();
    GroundingSupport {
        start_index: index("startIndex"),
        end_index: index("endIndex"),
        text: segment.text("text").unwrap_or_default(),
        source_indices: support.value("groundingChunkIndices").unwrap_or_default(),
    }
}

/// Code without a result so far, with its id.
#[derive(Debug, Default)]
pub(super) struct RunningCode(Vec<(Option<String>, String)>);

impl RunningCode {
    /// Adds code that starts to run.
    pub(super) fn begin(&mut self, code: &JsonFields) {
        self.0.push((code.text("id"), code.text("code").unwrap_or_default()));
    }

    /// Matches a result with the code of the same id, or else with the oldest one.
    pub(super) fn end(&mut self, result: &JsonFields) -> CodeExecution {
        let id = result.text("id");
        let same = self.0.iter().position(|(known, _)| id.is_some() && *known == id);
        let position = same.or_else(|| (!self.0.is_empty()).then_some(0));
        let code = position.map(|position| self.0.remove(position).1).unwrap_or_default();
        CodeExecution { code, result: result_of(result) }
    }

    /// Removes and returns code without a result.
    pub(super) fn rest(&mut self) -> Vec<CodeExecution> {
        let rest = self.0.drain(..);
        rest.map(|(_, code)| CodeExecution { code, result: String::new() }).collect()
    }
}

fn result_of(result: &JsonFields) -> String {
    let output = result.text("output").unwrap_or_default();
    match result.text("outcome").as_deref() {
        Some("OUTCOME_FAILED") => format!("the code failed: {output}"),
        Some("OUTCOME_DEADLINE_EXCEEDED") => format!("the code ran too long: {output}"),
        Some(_) | None => output,
    }
}
