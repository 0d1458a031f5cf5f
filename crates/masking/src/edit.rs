//! Edits: replacements of parts of a text.

/// A range of a text and its replacement. An empty range is an insertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) text: String,
}

/// Merges the edits of a text and of the strings embedded in it, in order.
///
/// If edits overlap, the first one is kept and extended to the union of their ranges. Insertions next to an
/// outer edit are dropped.
pub(crate) fn join(outer: Vec<Edit>, mut inner: Vec<Edit>) -> Vec<Edit> {
    inner.retain(|edit| {
        let next = outer.partition_point(|other| other.end < edit.start);
        edit.start < edit.end || outer.get(next).is_none_or(|other| other.start > edit.end)
    });
    let mut edits = outer;
    edits.append(&mut inner);
    edits.sort_by_key(|edit| (edit.start, edit.end));
    let mut joined: Vec<Edit> = Vec::with_capacity(edits.len());
    for edit in edits {
        match joined.last_mut() {
            Some(last) if edit.start < last.end => last.end = last.end.max(edit.end),
            Some(_) | None => joined.push(edit),
        }
    }
    joined
}

/// Applies edits, which are sorted and do not overlap. Fails if an edit splits a character.
pub(crate) fn apply(text: &str, edits: &[Edit]) -> Result<String, &'static str> {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        out.push_str(text.get(done..edit.start).ok_or("a place in the text was lost")?);
        out.push_str(&edit.text);
        done = edit.end;
    }
    out.push_str(text.get(done..).ok_or("a place in the text was lost")?);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: usize, end: usize, text: &str) -> Edit {
        Edit { start, end, text: text.to_owned() }
    }

    #[test]
    fn overlapping_edits_remove_their_union() {
        let outer = vec![edit(4, 4, "'"), edit(4, 9, "[A]"), edit(9, 9, "'")];
        let inner = vec![edit(6, 12, "[B]"), edit(4, 4, "-"), edit(13, 13, "+")];
        assert_eq!(apply("one two three four", &join(outer, inner)), Ok("one '[A]e+ four".to_owned()));
    }

    #[test]
    fn rejects_an_edit_that_splits_a_character() {
        assert!(apply("é", &[edit(1, 2, "")]).is_err());
    }
}
