//! Parses YAML text into a tree with positions.
//!
//! The events come from `saphyr-parser`; this module builds the tree, because no loader keeps the position of
//! every duplicate key and bounds both depth and aliases. It assigns no types to scalars and expands no
//! variables.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput, Tag};

use crate::sensitive;
use crate::source::{SourcePosition, SourceSpan};
use crate::tree::{Node, NodeKey, NodeKind, Scalar};

mod hint;

/// Maximum nesting: deeper than any reasonable file, and shallow enough for any stack.
const MAX_DEPTH: usize = 64;

/// Maximum number of nodes that aliases can add, against files that are small on disk and huge in memory.
const MAX_ALIASED_NODES: usize = 10_000;

const SYNTAX: &str = "not valid YAML";

/// A syntax error, or YAML that is not supported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct YamlError {
    pub(crate) span: SourceSpan,
    pub(crate) message: String,
}

/// Parses a text; returns the tree, if it is YAML, and all errors.
pub(crate) fn parse(text: &str) -> (Option<Node>, Vec<YamlError>) {
    let mut builder = Builder {
        parser: Parser::new_from_str(text),
        anchors: HashMap::new(),
        aliased: 0,
        errors: Vec::new(),
    };
    let node = match builder.stream() {
        Ok(node) => Some(node),
        Err(error) => {
            builder.errors.push(hint::with_hint(within(text, error), text));
            None
        }
    };
    (node, builder.errors)
}

struct Builder<'text> {
    parser: Parser<'text, StrInput<'text>>,
    anchors: HashMap<usize, (Node, usize)>,
    aliased: usize,
    errors: Vec<YamlError>,
}

impl<'text> Builder<'text> {
    /// Parses at most one document.
    fn stream(&mut self) -> Result<Node, YamlError> {
        let mut document = None;
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => {
                    let written = document.filter(|node: &Node| !node.is_null());
                    return Ok(written.unwrap_or_else(Node::empty));
                }
                (Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing, _) => {}
                (_, span) if document.is_some() => {
                    return Err(error(
                        span,
                        "a configuration file must contain one YAML document; a second one starts here",
                    ));
                }
                (event, span) => document = Some(self.node(event, span, 0)?),
            }
        }
    }

    fn node(&mut self, event: Event<'text>, span: SourceSpan, depth: usize) -> Result<Node, YamlError> {
        if depth > MAX_DEPTH {
            return Err(error(span, format!("values are nested more than {MAX_DEPTH} levels deep")));
        }
        let (anchor, node) = match event {
            Event::Alias(id) => return self.alias(id, span),
            Event::Scalar(text, style, anchor, tag) => {
                let quoted = is_text(tag.as_deref(), span)? || style != ScalarStyle::Plain;
                (anchor, Node { span, kind: NodeKind::Scalar(Scalar { text: text.into_owned(), quoted }) })
            }
            Event::SequenceStart(anchor, tag) => {
                is_text(tag.as_deref(), span)?;
                (anchor, self.sequence(span, depth)?)
            }
            Event::MappingStart(anchor, tag) => {
                is_text(tag.as_deref(), span)?;
                (anchor, self.mapping(span, depth)?)
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::SequenceEnd
            | Event::MappingEnd => return Err(error(span, "expected a value here")),
        };
        if anchor > 0 {
            let size = size(&node);
            self.anchors.insert(anchor, (node.clone(), size));
        }
        Ok(node)
    }

    fn sequence(&mut self, start: SourceSpan, depth: usize) -> Result<Node, YamlError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, end) => {
                    return Ok(Node {
                        span: SourceSpan { end: end.start, ..start },
                        kind: NodeKind::Sequence(items),
                    });
                }
                (event, span) => items.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn mapping(&mut self, start: SourceSpan, depth: usize) -> Result<Node, YamlError> {
        let mut entries: Vec<(NodeKey, Node)> = Vec::new();
        let mut merged = Vec::new();
        let mut broken = false;
        loop {
            let key = match self.next()? {
                (Event::MappingEnd, end) => {
                    merge(&mut entries, merged);
                    let kind = if broken { NodeKind::Broken } else { NodeKind::Mapping(entries) };
                    return Ok(Node { span: SourceSpan { end: end.start, ..start }, kind });
                }
                (event, span) => self.node(event, span, depth + 1)?,
            };
            let (event, span) = self.next()?;
            let value = self.node(event, span, depth + 1)?;
            let NodeKind::Scalar(scalar) = key.kind else {
                let message = "a key must be a string; put a reference that starts with `{{` in quotes";
                self.errors.push(error(key.span, message));
                broken = true;
                continue;
            };
            if scalar.text == "<<" && !scalar.quoted {
                merged.extend(self.merge_source(value));
                continue;
            }
            match entries.iter().find(|(present, _)| present.text == scalar.text) {
                Some((first, _)) => self.errors.push(duplicate(first, key.span)),
                None => entries.push((NodeKey { text: scalar.text, span: key.span }, value)),
            }
        }
    }

    /// Returns the entries that `<<: *anchor` or `<<: [*one, *other]` merges.
    fn merge_source(&mut self, value: Node) -> Vec<(NodeKey, Node)> {
        match value.kind {
            NodeKind::Mapping(entries) => entries,
            NodeKind::Sequence(items) => items.into_iter().flat_map(|item| self.merge_source(item)).collect(),
            NodeKind::Broken => Vec::new(),
            NodeKind::Scalar(_) => {
                self.errors.push(error(value.span, "`<<` can only merge a mapping, such as `<<: *anchor`"));
                Vec::new()
            }
        }
    }

    fn alias(&mut self, id: usize, span: SourceSpan) -> Result<Node, YamlError> {
        let Some((node, size)) = self.anchors.get(&id) else {
            return Err(error(span, "this alias refers to a value that contains it"));
        };
        self.aliased += size;
        if self.aliased > MAX_ALIASED_NODES {
            return Err(error(span, format!("aliases expand to more than {MAX_ALIASED_NODES} values")));
        }
        Ok(node.clone())
    }

    fn next(&mut self) -> Result<(Event<'text>, SourceSpan), YamlError> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, convert(span))),
            Some(Err(error)) => Err(syntax(&error)),
            None => Ok((Event::StreamEnd, SourceSpan::START)),
        }
    }
}

/// Adds merged entries. Existing entries take precedence, and earlier merged entries over later ones.
fn merge(entries: &mut Vec<(NodeKey, Node)>, merged: Vec<(NodeKey, Node)>) {
    for (key, value) in merged {
        if entries.iter().all(|(present, _)| present.text != key.text) {
            entries.push((key, value));
        }
    }
}

/// Returns whether a tag makes a scalar a string. Other core tags are ignored, because the type is inferred.
fn is_text(tag: Option<&Tag>, span: SourceSpan) -> Result<bool, YamlError> {
    match tag {
        None => Ok(false),
        Some(tag) if tag.is_yaml_core_schema() => Ok(tag.suffix == "str"),
        // The tag is not shown, because it may be a password that lacks quotes.
        Some(_) => {
            Err(error(span, "YAML tags are not supported; put a string that starts with `!` in quotes"))
        }
    }
}

fn size(node: &Node) -> usize {
    match &node.kind {
        NodeKind::Scalar(_) | NodeKind::Broken => 1,
        NodeKind::Sequence(items) => 1 + items.iter().map(size).sum::<usize>(),
        NodeKind::Mapping(entries) => 1 + entries.iter().map(|(_, value)| 1 + size(value)).sum::<usize>(),
    }
}

fn error(span: SourceSpan, message: impl Into<String>) -> YamlError {
    YamlError { span, message: message.into() }
}

fn duplicate(first: &NodeKey, span: SourceSpan) -> YamlError {
    let line = first.span.start.line;
    error(span, format!("duplicate key `{}`, first used on line {line}", sensitive::cut(&first.text)))
}

fn syntax(scan: &ScanError) -> YamlError {
    let start = position(scan.marker());
    error(SourceSpan { start, end: start }, format!("{SYNTAX}: {}", scan.info()))
}

/// Moves an error into the line that it is in: in a directive, the parser counts bytes instead of characters.
fn within(text: &str, mut error: YamlError) -> YamlError {
    if let Some(line) = text.lines().nth(error.span.start.line.saturating_sub(1)) {
        let end = line.chars().count() + 1;
        error.span.start.column = error.span.start.column.min(end);
        if error.span.end.line == error.span.start.line {
            error.span.end.column = error.span.end.column.min(end);
        }
    }
    error
}

fn convert(span: saphyr_parser::Span) -> SourceSpan {
    SourceSpan { start: position(&span.start), end: position(&span.end) }
}

fn position(marker: &saphyr_parser::Marker) -> SourcePosition {
    SourcePosition { line: marker.line().max(1), column: marker.col() + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<(usize, usize, String)> {
        let errors = parse(text).1;
        errors
            .into_iter()
            .map(|error| (error.span.start.line, error.span.start.column, error.message))
            .collect()
    }

    /// Returns the tree as nested text, with the line and column of every value.
    fn outline(node: &Node) -> String {
        let SourcePosition { line, column } = node.span.start;
        let inner = match &node.kind {
            NodeKind::Scalar(scalar) if scalar.quoted => format!("{:?}", scalar.text),
            NodeKind::Scalar(scalar) => scalar.text.clone(),
            NodeKind::Broken => "broken".to_owned(),
            NodeKind::Sequence(items) => {
                format!("[{}]", items.iter().map(outline).collect::<Vec<_>>().join(", "))
            }
            NodeKind::Mapping(entries) => {
                let entries = entries.iter().map(|(key, value)| format!("{}: {}", key.text, outline(value)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
        };
        format!("{line}:{column} {inner}")
    }

    fn tree(text: &str) -> String {
        let (node, errors) = parse(text);
        assert_eq!(errors, []);
        outline(&node.unwrap())
    }

    #[test]
    fn every_value_has_its_position() {
        assert_eq!(
            tree("a:\n  - x\n  - \"y z\"\nb: {c: 5}\nd: |\n  text\n  more\ne: >-\n  fold\n"),
            "1:1 {a: 2:3 [2:5 x, 3:5 \"y z\"], b: 4:4 {c: 4:8 5}, d: 6:3 \"text\\nmore\\n\", e: 9:3 \"fold\"}"
        );
    }

    #[test]
    fn an_empty_file_is_an_empty_mapping() {
        for text in ["", "\n\n", "# only a comment\n", "---\n", "---\n# c\n...\n", "~"] {
            assert_eq!(tree(text), "1:1 {}", "{text:?}");
        }
    }

    #[test]
    fn aliases_and_merge_keys_are_expanded() {
        assert_eq!(
            tree("x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}\nz: *x"),
            "1:1 {x: 1:4 {a: 1:11 1, b: 1:17 2}, y: 2:4 {b: 2:16 3, a: 1:11 1}, z: 1:4 {a: 1:11 1, b: 1:17 2}}"
        );
    }

    #[test]
    fn every_duplicate_key_is_found() {
        assert_eq!(
            errors("a: 1\na: 2\nb:\n  c: 1\n  c: 2\n"),
            [
                (2, 1, "duplicate key `a`, first used on line 1".into()),
                (5, 3, "duplicate key `c`, first used on line 4".into()),
            ]
        );
    }

    #[test]
    fn rejects_deep_nesting_and_alias_bombs() {
        let deep = "[".repeat(100);
        assert_eq!(errors(&deep)[0].2, "values are nested more than 64 levels deep");
        assert_eq!(errors(&"[".repeat(100_000)).len(), 1);
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..10 {
            let inner = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb += &format!("a{level}: &a{level} [{inner}]\n");
        }
        assert_eq!(errors(&bomb)[0].2, "aliases expand to more than 10000 values");
    }
}
