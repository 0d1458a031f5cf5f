//! Changes of a text: what is written in place of which piece of it.

/// A piece of a text, and what is written in its place. An empty piece is a place where something is put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) text: String,
}

/// The changes of a text and of the texts inside of it, in order.
///
/// Of those that overlap the first is made, to all that any of them would have taken away. What is only put in is left
/// out where the text around is changed.
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

/// The text with changes made, which are in order and do not overlap.
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
    fn what_any_change_takes_away_is_gone() {
        let outer = vec![edit(4, 4, "'"), edit(4, 9, "[A]"), edit(9, 9, "'")];
        let inner = vec![edit(6, 12, "[B]"), edit(4, 4, "-"), edit(13, 13, "+")];
        assert_eq!(apply("one two three four", &join(outer, inner)), Ok("one '[A]e+ four".to_owned()));
    }

    #[test]
    fn a_cut_character_is_an_error() {
        assert!(apply("é", &[edit(1, 2, "")]).is_err());
    }
}
