//! Finds the filters, tests and other templates that a template refers to, without rendering it.
//!
//! Rendering finds a misspelled filter only in a branch that a sample reaches. This module tokenizes tags but
//! does not parse them: computed names, and names that are passed as strings to filters such as `map`, are
//! not found. It does not check whether a name exists.

use std::ops::Range;

/// A reference in a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateReference<'t> {
    pub(crate) kind: TemplateReferenceKind,
    pub(crate) name: &'t str,
    /// Position of the name.
    pub(crate) range: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TemplateReferenceKind {
    Filter,
    Test,
    Template,
}

/// A token of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TagToken<'t> {
    Word(&'t str),
    Text(&'t str),
    Sign(char),
}

/// Returns the references in a template, in order.
pub(crate) fn references(source: &str) -> Vec<TemplateReference<'_>> {
    let mut references = Vec::new();
    let mut at = 0;
    while let Some(start) = next_tag(source, at) {
        if source[..start].ends_with('#') {
            at = source[start..].find("#}").map_or(source.len(), |end| start + end + 2);
            continue;
        }
        let (tokens, end) = tag(source, start);
        at = if is_raw(&tokens) { end_of_raw(source, end) } else { end };
        references.extend(named_in(source, &tokens));
    }
    references
}

/// Returns the start of the content of the next tag or comment.
fn next_tag(source: &str, from: usize) -> Option<usize> {
    let opens = |(at, _): &(usize, &str)| source[from + at + 1..].starts_with(['{', '%', '#']);
    source[from..].match_indices('{').find(opens).map(|(at, _)| from + at + 2)
}

/// A token and its position.
type PlacedToken<'t> = (usize, TagToken<'t>);

/// Returns the tokens of a tag and its end.
fn tag(source: &str, start: usize) -> (Vec<PlacedToken<'_>>, usize) {
    let mut tokens = Vec::new();
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        if depth == 0 && (rest.starts_with("}}") || rest.starts_with("%}")) {
            return (tokens, at + 2);
        }
        let (token, length) = token(rest, first);
        match token {
            TagToken::Sign('{') => depth += 1,
            TagToken::Sign('}') => depth = depth.saturating_sub(1),
            TagToken::Sign(_) | TagToken::Word(_) | TagToken::Text(_) => {}
        }
        if !first.is_whitespace() {
            tokens.push((at, token));
        }
        at += length;
    }
    (tokens, source.len())
}

/// Returns the first token of a text and its length.
fn token(rest: &str, first: char) -> (TagToken<'_>, usize) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    if matches!(first, '"' | '\'') {
        let mut escaped = false;
        let closes = |(_, c): &(usize, char)| {
            let closes = *c == first && !escaped;
            escaped = *c == '\\' && !escaped;
            closes
        };
        let end = rest[1..].char_indices().find(closes).map_or(rest.len(), |(at, _)| at + 1);
        return (TagToken::Text(&rest[1..end]), (end + 1).min(rest.len()));
    }
    if is_part(first) {
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        return (TagToken::Word(&rest[..length]), length);
    }
    (TagToken::Sign(first), first.len_utf8())
}

fn is_raw(tokens: &[PlacedToken<'_>]) -> bool {
    let words = tokens.iter().filter(|(_, token)| !matches!(token, TagToken::Sign('-' | '+')));
    words.map(|(_, token)| *token).eq([TagToken::Word("raw")])
}

fn end_of_raw(source: &str, from: usize) -> usize {
    let ends = source[from..].match_indices("{%").find(|(at, tag)| {
        let inside = source[from + at + tag.len()..].trim_start_matches(['-', '+']);
        inside.trim_start().starts_with("endraw")
    });
    ends.map_or(source.len(), |(at, _)| from + at)
}

/// Returns the references of one tag: after `|`, after `is`, and after keywords that load another template.
fn named_in<'t>(source: &'t str, tokens: &[PlacedToken<'t>]) -> Vec<TemplateReference<'t>> {
    let first = tokens.iter().position(|(_, token)| matches!(token, TagToken::Word(_)));
    let mut references = Vec::new();
    for (index, (_, token)) in tokens.iter().enumerate() {
        let (before, after) = (&tokens[..index], &tokens[index + 1..]);
        let is_field = matches!(before.last(), Some((_, TagToken::Sign('.'))));
        let is_first = Some(index) == first;
        match token {
            TagToken::Sign('|') => references.extend(word(TemplateReferenceKind::Filter, source, after)),
            TagToken::Word("filter") if is_first => {
                references.extend(word(TemplateReferenceKind::Filter, source, after));
            }
            TagToken::Word("is") if !is_field => {
                let negated = matches!(after.first(), Some((_, TagToken::Word("not"))));
                references.extend(word(TemplateReferenceKind::Test, source, &after[usize::from(negated)..]));
            }
            TagToken::Word("include" | "extends" | "import" | "from") if is_first => {
                references.extend(template(after));
            }
            TagToken::Word(_) | TagToken::Text(_) | TagToken::Sign(_) => {}
        }
    }
    references
}

/// Returns the name at the start of the tokens; it can contain dots.
fn word<'t>(
    kind: TemplateReferenceKind,
    source: &'t str,
    tokens: &[PlacedToken<'t>],
) -> Option<TemplateReference<'t>> {
    let (start, TagToken::Word(first)) = *tokens.first()? else { return None };
    let mut end = start + first.len();
    for pair in tokens[1..].chunks_exact(2) {
        let [(_, TagToken::Sign('.')), (at, TagToken::Word(next))] = pair else { break };
        end = at + next.len();
    }
    Some(TemplateReference { kind, name: &source[start..end], range: start..end })
}

/// Returns the template name at the start of the tokens, if it is a literal and must exist.
fn template<'t>(tokens: &[PlacedToken<'t>]) -> Option<TemplateReference<'t>> {
    let (start, TagToken::Text(name)) = *tokens.first()? else { return None };
    let is_all = match tokens.get(1) {
        Some((_, TagToken::Word(word))) => matches!(*word, "as" | "import" | "with" | "without"),
        Some((_, TagToken::Sign(sign))) => matches!(sign, '-' | '+') && tokens.len() == 2,
        Some((_, TagToken::Text(_))) => false,
        None => true,
    };
    let may_be_missing = tokens.iter().any(|(_, token)| *token == TagToken::Word("ignore"));
    let range = start + 1..start + 1 + name.len();
    (is_all && !may_be_missing).then_some(TemplateReference {
        kind: TemplateReferenceKind::Template,
        name,
        range,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &str) -> Vec<(TemplateReferenceKind, &str)> {
        let references = references(source);
        for reference in &references {
            assert_eq!(&source[reference.range.clone()], reference.name);
        }
        references.into_iter().map(|reference| (reference.kind, reference.name)).collect()
    }

    #[test]
    fn filters_tests_and_templates_are_found_with_their_positions() {
        let cases: [(&str, &[(TemplateReferenceKind, &str)]); 12] = [
            (
                "{{ a | upper|join(', | no }}') }}",
                &[(TemplateReferenceKind::Filter, "upper"), (TemplateReferenceKind::Filter, "join")],
            ),
            ("{%- filter my.own -%}", &[(TemplateReferenceKind::Filter, "my.own")]),
            (
                "{% if a is not none and b is eq 3 %}",
                &[(TemplateReferenceKind::Test, "none"), (TemplateReferenceKind::Test, "eq")],
            ),
            ("{{ {'a': {'b': 1}} | items }} | no", &[(TemplateReferenceKind::Filter, "items")]),
            (
                "{% include \"a.md\" %}{%- extends 'b' -%}",
                &[(TemplateReferenceKind::Template, "a.md"), (TemplateReferenceKind::Template, "b")],
            ),
            (
                "{% from 'a' import b %}{% import 'c' as d %}",
                &[(TemplateReferenceKind::Template, "a"), (TemplateReferenceKind::Template, "c")],
            ),
            ("{% include 'a' ignore missing %}{% include 'a' ~ b %}{% include b %}", &[]),
            ("{% include ['a', 'b'] %}{% include 'a' if b else 'c' %}", &[]),
            (
                "{# a | no #}{% raw %}{{ a | no }}{% endraw %}{{ a | yes }}",
                &[(TemplateReferenceKind::Filter, "yes")],
            ),
            ("a | no {{ b.is }} {{ 'it\\'s | no' }}", &[]),
            ("{{ a | ", &[]),
            ("{% {# \"ü", &[]),
        ];
        for (source, expected) in cases {
            assert_eq!(names(source), expected, "{source}");
        }
    }
}
