//! What Gemini looked up on the web and the code that it ran.

use tarsy_domain::{CodeExecution, Grounding, GroundingSource, GroundingSupport};

use super::fields::Fields;

/// Takes in what an event says about sources. Later events say more; what they leave out stays.
pub(super) fn add_grounding(grounding: &mut Grounding, metadata: &Fields) {
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

fn replace<T>(known: &mut Vec<T>, said: Vec<T>) {
    if !said.is_empty() {
        *known = said;
    }
}

/// A source that is not a page on the web keeps its place: others are named by their place in the list.
fn source(chunk: &Fields) -> GroundingSource {
    let web = chunk.object("web").unwrap_or_default();
    let text = |name| web.text(name).unwrap_or_default();
    GroundingSource { uri: text("uri"), title: text("title") }
}

fn support(support: &Fields) -> GroundingSupport {
    let segment = support.object("segment").unwrap_or_default();
    let index = |name| segment.value(name).unwrap_or_default();
    GroundingSupport {
        start_index: index("startIndex"),
        end_index: index("endIndex"),
        text: segment.text("text").unwrap_or_default(),
        source_indices: support.value("groundingChunkIndices").unwrap_or_default(),
    }
}

/// Code that has begun to run and has not yet been heard of again.
#[derive(Debug, Default)]
pub(super) struct RunningCode(Vec<(Option<String>, String)>);

impl RunningCode {
    /// Takes in a program.
    pub(super) fn begin(&mut self, code: &Fields) {
        self.0.push((code.text("id"), code.text("code").unwrap_or_default()));
    }

    /// Takes in a result: of the program with the same id, or else of the one that has waited longest.
    pub(super) fn end(&mut self, result: &Fields) -> CodeExecution {
        let id = result.text("id");
        let same = self.0.iter().position(|(known, _)| id.is_some() && *known == id);
        let place = same.or_else(|| (!self.0.is_empty()).then_some(0));
        let code = place.map(|place| self.0.remove(place).1).unwrap_or_default();
        CodeExecution { code, result: result_of(result) }
    }

    /// The programs that were never heard of again.
    pub(super) fn rest(&mut self) -> Vec<CodeExecution> {
        let rest = self.0.drain(..);
        rest.map(|(_, code)| CodeExecution { code, result: String::new() }).collect()
    }
}

fn result_of(result: &Fields) -> String {
    let output = result.text("output").unwrap_or_default();
    match result.text("outcome").as_deref() {
        Some("OUTCOME_FAILED") => format!("the code failed: {output}"),
        Some("OUTCOME_DEADLINE_EXCEEDED") => format!("the code ran too long: {output}"),
        Some(_) | None => output,
    }
}
