//! The filters, tests and other templates that a template names, found without rendering it.
//!
//! Rendering finds a misspelt filter only in a branch that a sample leads into. This reads the words inside tags, no
//! grammar: names that are computed, or given as texts to filters such as `map`, are not seen. Whether what is named
//! exists is not known here.

use std::ops::Range;

/// Something that a template names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateReference<'t> {
    pub(crate) kind: ReferenceKind,
    pub(crate) name: &'t str,
    /// Where the name stands.
    pub(crate) range: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferenceKind {
    Filter,
    Test,
    Template,
}

/// A piece of a tag, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TagToken<'t> {
    Word(&'t str),
    Text(&'t str),
    Sign(char),
}

/// Everything that a template names, in order.
pub(crate) fn mentions(source: &str) -> Vec<TemplateReference<'_>> {
    let mut mentions = Vec::new();
    let mut at = 0;
    while let Some(start) = next_tag(source, at) {
        if source[..start].ends_with('#') {
            at = source[start..].find("#}").map_or(source.len(), |end| start + end + 2);
            continue;
        }
        let (tokens, end) = tag(source, start);
        at = if is_raw(&tokens) { end_of_raw(source, end) } else { end };
        mentions.extend(named_in(source, &tokens));
    }
    mentions
}

/// Where the inside of the next tag or comment begins.
fn next_tag(source: &str, from: usize) -> Option<usize> {
    let opens = |(at, _): &(usize, &str)| source[from + at + 1..].starts_with(['{', '%', '#']);
    source[from..].match_indices('{').find(opens).map(|(at, _)| from + at + 2)
}

/// A token and where it stands.
type PlacedToken<'t> = (usize, TagToken<'t>);

/// The tokens of a tag, and where it ends.
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

/// The token that a text begins with, and its length.
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

/// What the tokens of one tag name: after `|`, after `is`, and after the words that lead to another template.
fn named_in<'t>(source: &'t str, tokens: &[PlacedToken<'t>]) -> Vec<TemplateReference<'t>> {
    let first = tokens.iter().position(|(_, token)| matches!(token, TagToken::Word(_)));
    let mut mentions = Vec::new();
    for (index, (_, token)) in tokens.iter().enumerate() {
        let (before, after) = (&tokens[..index], &tokens[index + 1..]);
        let is_field = matches!(before.last(), Some((_, TagToken::Sign('.'))));
        let is_first = Some(index) == first;
        match token {
            TagToken::Sign('|') => mentions.extend(word(ReferenceKind::Filter, source, after)),
            TagToken::Word("filter") if is_first => {
                mentions.extend(word(ReferenceKind::Filter, source, after))
            }
            TagToken::Word("is") if !is_field => {
                let negated = matches!(after.first(), Some((_, TagToken::Word("not"))));
                mentions.extend(word(ReferenceKind::Test, source, &after[usize::from(negated)..]));
            }
            TagToken::Word("include" | "extends" | "import" | "from") if is_first => {
                mentions.extend(template(after));
            }
            TagToken::Word(_) | TagToken::Text(_) | TagToken::Sign(_) => {}
        }
    }
    mentions
}

/// The name that tokens begin with; it may have dots.
fn word<'t>(
    kind: ReferenceKind,
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

/// The template that tokens begin with, if it is written out and must exist.
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
    (is_all && !may_be_missing).then_some(TemplateReference { kind: ReferenceKind::Template, name, range })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &str) -> Vec<(ReferenceKind, &str)> {
        let mentions = mentions(source);
        for mention in &mentions {
            assert_eq!(&source[mention.range.clone()], mention.name);
        }
        mentions.into_iter().map(|mention| (mention.kind, mention.name)).collect()
    }

    #[test]
    fn filters_tests_and_templates_are_found_where_they_stand() {
        let cases: [(&str, &[(ReferenceKind, &str)]); 12] = [
            (
                "{{ a | upper|join(', | no }}') }}",
                &[(ReferenceKind::Filter, "upper"), (ReferenceKind::Filter, "join")],
            ),
            ("{%- filter my.own -%}", &[(ReferenceKind::Filter, "my.own")]),
            (
                "{% if a is not none and b is eq 3 %}",
                &[(ReferenceKind::Test, "none"), (ReferenceKind::Test, "eq")],
            ),
            ("{{ {'a': {'b': 1}} | items }} | no", &[(ReferenceKind::Filter, "items")]),
            (
                "{% include \"a.md\" %}{%- extends 'b' -%}",
                &[(ReferenceKind::Template, "a.md"), (ReferenceKind::Template, "b")],
            ),
            (
                "{% from 'a' import b %}{% import 'c' as d %}",
                &[(ReferenceKind::Template, "a"), (ReferenceKind::Template, "c")],
            ),
            ("{% include 'a' ignore missing %}{% include 'a' ~ b %}{% include b %}", &[]),
            ("{% include ['a', 'b'] %}{% include 'a' if b else 'c' %}", &[]),
            ("{# a | no #}{% raw %}{{ a | no }}{% endraw %}{{ a | yes }}", &[(ReferenceKind::Filter, "yes")]),
            ("a | no {{ b.is }} {{ 'it\\'s | no' }}", &[]),
            ("{{ a | ", &[]),
            ("{% {# \"ü", &[]),
        ];
        for (source, expected) in cases {
            assert_eq!(names(source), expected, "{source}");
        }
    }
}
