//! Shortens one text of a handover, and says so in it.

use tarsy_agent::{CollectedResult, ResultAccess};
use tarsy_domain::READ_RESULT;
use tarsy_tools::{Reduced, reduce};

/// Maximum number of tokens of a note.
pub(super) const NOTE_TOKENS: usize = 80;

/// Shortens a tool result to a number of tokens, including the note.
pub(super) fn shorten_result(content: &str, tokens: usize, result: &CollectedResult) -> String {
    let CollectedResult { id, bytes, .. } = result;
    let note = |shown| format!("[Shortened to fit: {shown} of {bytes} bytes of the result {id} are shown.]");
    shorten(content, tokens.saturating_sub(NOTE_TOKENS), note)
}

/// Shortens an analysis to a number of tokens, including the note.
pub(super) fn shorten_analysis(content: &str, tokens: usize) -> String {
    let bytes = content.len();
    let note = |shown| format!("[Shortened to fit: {shown} of {bytes} bytes of this analysis are shown.]");
    shorten(content, tokens.saturating_sub(NOTE_TOKENS), note)
}

fn shorten(content: &str, tokens: usize, note: impl FnOnce(usize) -> String) -> String {
    match reduce(content, tokens, "") {
        Reduced::Unchanged => content.to_owned(),
        Reduced::Shorter { mut text, note: general, .. } => {
            text.truncate(text.len() - general.len());
            let shown = text.len();
            if !text.is_empty() {
                text.push('\n');
            }
            text + &note(shown)
        }
    }
}

/// Returns the line that replaces a tool result.
pub(super) fn stub_of(result: &CollectedResult) -> String {
    format!("[Left out to fit: the result {}, {} bytes.]", result.id, result.bytes)
}

/// Adapts the note of a result that was shortened for its own agent to another reader: the id in it is only
/// valid for that agent, and the reader may have no tools.
pub(super) fn adapt_note(content: &str, result: &CollectedResult, access: ResultAccess) -> Option<String> {
    let (_, tool) = READ_RESULT.split_once('.')?;
    let own = format!("{tool} with id \"r{}\"", result.id.number);
    let at = content.rfind(&own)?;
    let end = at + own.len();
    let replaced = match access {
        ResultAccess::List(_) => {
            format!("{}{tool} with id \"{}\"{}", &content[..at], result.id, &content[end..])
        }
        ResultAccess::None => {
            let start = content[..at].rfind("To read ")?;
            let rest = end + content[end..].find(']')?;
            format!("{}Its id is {}.{}", &content[..start], result.id, &content[rest..])
        }
    };
    Some(replaced)
}

#[cfg(test)]
mod tests {
    use tarsy_agent::ResultId;

    use super::*;

    fn result() -> CollectedResult {
        let id = ResultId { stage: 1, agent: 2, number: 3 };
        CollectedResult { id, arguments: "{}".to_owned(), bytes: 9000 }
    }

    #[test]
    fn a_shortened_text_names_its_sizes() {
        let lines: Vec<String> =
            (0..100u64).map(|n| format!("{n} {:x}", n.wrapping_mul(0x9E37_79B9))).collect();
        let text = shorten_result(&lines.join("\n"), 280, &result());
        assert!(text.len() <= 560, "{text}");
        assert!(text.ends_with("of 9000 bytes of the result s1.a2.r3 are shown.]"), "{text}");
        assert_eq!(shorten_result("short", 200, &result()), "short");
        let analysis = shorten_analysis(&lines.join("\n"), 280);
        assert!(
            analysis.ends_with(&format!("of {} bytes of this analysis are shown.]", lines.join("\n").len()))
        );
    }

    #[test]
    fn the_note_of_a_digest_names_the_id_that_the_reader_can_use() {
        let Reduced::Shorter { text, .. } = reduce(&"x y z\n".repeat(900), 100, "r3") else { panic!() };
        let readable = adapt_note(&text, &result(), ResultAccess::List(9)).unwrap();
        assert!(readable.contains("call read_result with id \"s1.a2.r3\" and"), "{readable}");
        let fixed = adapt_note(&text, &result(), ResultAccess::None).unwrap();
        assert!(fixed.ends_with("tokens. Its id is s1.a2.r3.]") && !fixed.contains("read_result"), "{fixed}");
        assert_eq!(adapt_note("read_result with id \"r4\"", &result(), ResultAccess::None), None);
    }
}
