//! The placeholders `$1`, `$2`, … in the text of a statement.
//!
//! SQLite needs them spelled `?1`, and a statement that is joined with others needs them renumbered. Both
//! rewrites, and the check that a statement has exactly one argument for each of its placeholders, use the
//! one scanner here, which skips string literals. SQLite would silently bind null to a placeholder without an
//! argument.

use std::collections::BTreeSet;

use crate::StoreError;

/// Returns `text` with each placeholder replaced by the result of `spelled` for its number.
pub(crate) fn respell(text: &str, mut spelled: impl FnMut(usize) -> String) -> String {
    let mut rewritten = String::with_capacity(text.len() + 16);
    for piece in pieces(text) {
        match piece {
            SqlPiece::Text(text) => rewritten.push_str(text),
            SqlPiece::Placeholder(number) => rewritten.push_str(&spelled(number)),
        }
    }
    rewritten
}

/// Fails unless the placeholders of `text` are exactly `$1` to `$arguments`. Each may occur more than once.
pub(crate) fn check(text: &str, arguments: usize) -> Result<(), StoreError> {
    let numbers: BTreeSet<usize> = pieces(text)
        .filter_map(|piece| match piece {
            SqlPiece::Placeholder(number) => Some(number),
            SqlPiece::Text(_) => None,
        })
        .collect();
    if numbers.iter().copied().eq(1..=arguments) {
        return Ok(());
    }
    let numbers: Vec<String> = numbers.iter().map(|number| format!("${number}")).collect();
    let numbers = numbers.join(" ");
    Err(StoreError::Rejected(
        format!("the statement has {arguments} arguments for the placeholders [{numbers}]: {}", text.trim())
            .into(),
    ))
}

enum SqlPiece<'text> {
    Text(&'text str),
    Placeholder(usize),
}

/// Splits a statement into its placeholders and the text between them.
fn pieces(text: &str) -> impl Iterator<Item = SqlPiece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((number, length)) = leading_placeholder(rest) {
            rest = &rest[length..];
            return Some(SqlPiece::Placeholder(number));
        }
        let (piece, after) = rest.split_at(next_placeholder(rest));
        rest = after;
        Some(SqlPiece::Text(piece))
    })
}

/// Returns the number and the length of the placeholder that `text` begins with.
fn leading_placeholder(text: &str) -> Option<(usize, usize)> {
    let digits = text.strip_prefix('$')?;
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    Some((digits[..length].parse().ok()?, 1 + length))
}

/// Returns the offset of the next placeholder outside string literals; the length of `text` if there is none.
fn next_placeholder(text: &str) -> usize {
    let mut in_literal = false;
    for (offset, character) in text.char_indices() {
        match character {
            '\'' => in_literal = !in_literal,
            '$' if !in_literal && leading_placeholder(&text[offset..]).is_some() => return offset,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn respells_placeholders_outside_literals() {
        let text = "select '$1', $2, $ from t where a = $10 and b = 'it''s $3' and c = $2";
        assert_eq!(
            respell(text, |number| format!("?{number}")),
            "select '$1', ?2, $ from t where a = ?10 and b = 'it''s $3' and c = ?2"
        );
    }

    #[test]
    fn accepts_one_argument_for_each_placeholder() {
        for (text, arguments) in [("select 1", 0), ("select $1", 1), ("select $2, $1, $2, '$3'", 2)] {
            check(text, arguments).unwrap();
        }
    }

    #[test]
    fn rejects_placeholders_that_do_not_match_the_arguments() {
        for (text, arguments) in
            [("select 1", 1), ("select $1", 0), ("select $1, $2", 1), ("select $1, $3", 2), ("select $0", 1)]
        {
            assert!(matches!(check(text, arguments), Err(StoreError::Rejected(_))), "{text}");
        }
    }
}
