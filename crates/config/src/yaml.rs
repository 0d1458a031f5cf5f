//! Reads YAML text into a located tree.
//!
//! The events come from `saphyr-parser`; this builds the tree from them, because no loader keeps the place of
//! every duplicate key and bounds both depth and aliases. It gives no types to scalars and expands no
//! variables.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput, Tag};

use crate::sensitive;
use crate::source::{SourcePosition, SourceSpan};
use crate::tree::{Node, NodeKey, NodeKind, Scalar};

mod hint;

/// Deeper than any sensible file, and shallow enough for any stack.
const MAX_DEPTH: usize = 64;

/// Nodes that aliases may add, against files that are small on disk and huge in memory.
const MAX_ALIASED_NODES: usize = 10_000;

const SYNTAX: &str = "not valid YAML";

/// Something that is not YAML, or not YAML that we read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct YamlFault {
    pub(crate) span: SourceSpan,
    pub(crate) message: String,
}

/// Reads a text: the tree, if it is YAML, and everything that is wrong with it.
pub(crate) fn parse(text: &str) -> (Option<Node>, Vec<YamlFault>) {
    let mut builder = Builder {
        parser: Parser::new_from_str(text),
        anchors: HashMap::new(),
        aliased: 0,
        faults: Vec::new(),
    };
    let node = match builder.stream() {
        Ok(node) => Some(node),
        Err(fault) => {
            builder.faults.push(hint::with_hint(fault, text));
            None
        }
    };
    (node, builder.faults)
}

struct Builder<'text> {
    parser: Parser<'text, StrInput<'text>>,
    anchors: HashMap<usize, (Node, usize)>,
    aliased: usize,
    faults: Vec<YamlFault>,
}

impl<'text> Builder<'text> {
    /// One document, or none.
    fn stream(&mut self) -> Result<Node, YamlFault> {
        let mut document = None;
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => {
                    let written = document.filter(|node: &Node| !node.is_null());
                    return Ok(written.unwrap_or_else(Node::empty));
                }
                (Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing, _) => {}
                (_, span) if document.is_some() => {
                    return Err(fault(
                        span,
                        "a configuration file holds one document, and here begins a second one",
                    ));
                }
                (event, span) => document = Some(self.node(event, span, 0)?),
            }
        }
    }

    fn node(&mut self, event: Event<'text>, span: SourceSpan, depth: usize) -> Result<Node, YamlFault> {
        if depth > MAX_DEPTH {
            return Err(fault(span, format!("nested more than {MAX_DEPTH} levels deep")));
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
            | Event::MappingEnd => return Err(fault(span, "expected a value here")),
        };
        if anchor > 0 {
            let size = size(&node);
            self.anchors.insert(anchor, (node.clone(), size));
        }
        Ok(node)
    }

    fn sequence(&mut self, start: SourceSpan, depth: usize) -> Result<Node, YamlFault> {
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

    fn mapping(&mut self, start: SourceSpan, depth: usize) -> Result<Node, YamlFault> {
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
                let message =
                    "a key must be a plain word or a text; a reference that begins with `{{` needs quotes";
                self.faults.push(fault(key.span, message));
                broken = true;
                continue;
            };
            if scalar.text == "<<" && !scalar.quoted {
                merged.extend(self.merge_source(value));
                continue;
            }
            match entries.iter().find(|(present, _)| present.text == scalar.text) {
                Some((first, _)) => self.faults.push(duplicate(first, key.span)),
                None => entries.push((NodeKey { text: scalar.text, span: key.span }, value)),
            }
        }
    }

    /// The entries that `<<: *anchor` or `<<: [*one, *other]` brings in.
    fn merge_source(&mut self, value: Node) -> Vec<(NodeKey, Node)> {
        match value.kind {
            NodeKind::Mapping(entries) => entries,
            NodeKind::Sequence(items) => items.into_iter().flat_map(|item| self.merge_source(item)).collect(),
            NodeKind::Broken => Vec::new(),
            NodeKind::Scalar(_) => {
                self.faults.push(fault(value.span, "`<<` merges a mapping, such as `<<: *anchor`"));
                Vec::new()
            }
        }
    }

    fn alias(&mut self, id: usize, span: SourceSpan) -> Result<Node, YamlFault> {
        let Some((node, size)) = self.anchors.get(&id) else {
            return Err(fault(span, "this alias stands inside the value it refers to"));
        };
        self.aliased += size;
        if self.aliased > MAX_ALIASED_NODES {
            return Err(fault(
                span,
                format!("aliases add more than {MAX_ALIASED_NODES} values to this file"),
            ));
        }
        Ok(node.clone())
    }

    fn next(&mut self) -> Result<(Event<'text>, SourceSpan), YamlFault> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, convert(span))),
            Some(Err(error)) => Err(syntax(&error)),
            None => Ok((Event::StreamEnd, SourceSpan::START)),
        }
    }
}

/// Entries that are written here win over merged ones, and earlier merged ones over later.
fn merge(entries: &mut Vec<(NodeKey, Node)>, merged: Vec<(NodeKey, Node)>) {
    for (key, value) in merged {
        if entries.iter().all(|(present, _)| present.text != key.text) {
            entries.push((key, value));
        }
    }
}

/// Whether a tag says that a scalar is a text. Other core tags say what is found out anyway.
fn is_text(tag: Option<&Tag>, span: SourceSpan) -> Result<bool, YamlFault> {
    match tag {
        None => Ok(false),
        Some(tag) if tag.is_yaml_core_schema() => Ok(tag.suffix == "str"),
        // The tag is not shown, because it may be a password without quotes.
        Some(_) => {
            Err(fault(span, "a YAML tag has no meaning here; a text that begins with `!` needs quotes"))
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

fn fault(span: SourceSpan, message: impl Into<String>) -> YamlFault {
    YamlFault { span, message: message.into() }
}

fn duplicate(first: &NodeKey, span: SourceSpan) -> YamlFault {
    let line = first.span.start.line;
    fault(
        span,
        format!("the key `{}` is written twice here, first on line {line}", sensitive::cut(&first.text)),
    )
}

fn syntax(error: &ScanError) -> YamlFault {
    let start = position(error.marker());
    fault(SourceSpan { start, end: start }, format!("{SYNTAX}: {}", error.info()))
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

    fn faults(text: &str) -> Vec<(usize, usize, String)> {
        let faults = parse(text).1;
        faults
            .into_iter()
            .map(|fault| (fault.span.start.line, fault.span.start.column, fault.message))
            .collect()
    }

    /// The tree as nested text, with the line and column of every value.
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
        let (node, faults) = parse(text);
        assert_eq!(faults, []);
        outline(&node.unwrap())
    }

    #[test]
    fn everything_knows_where_it_stands() {
        assert_eq!(
            tree("a:\n  - x\n  - \"y z\"\nb: {c: 5}\nd: |\n  text\n  more\ne: >-\n  fold\n"),
            "1:1 {a: 2:3 [2:5 x, 3:5 \"y z\"], b: 4:4 {c: 4:8 5}, d: 6:3 \"text\\nmore\\n\", e: 9:3 \"fold\"}"
        );
    }

    #[test]
    fn nothing_is_an_empty_mapping() {
        for text in ["", "\n\n", "# only a comment\n", "---\n", "---\n# c\n...\n", "~"] {
            assert_eq!(tree(text), "1:1 {}", "{text:?}");
        }
    }

    #[test]
    fn aliases_and_merge_keys_bring_values_in() {
        assert_eq!(
            tree("x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}\nz: *x"),
            "1:1 {x: 1:4 {a: 1:11 1, b: 1:17 2}, y: 2:4 {b: 2:16 3, a: 1:11 1}, z: 1:4 {a: 1:11 1, b: 1:17 2}}"
        );
    }

    #[test]
    fn every_duplicate_key_is_found() {
        assert_eq!(
            faults("a: 1\na: 2\nb:\n  c: 1\n  c: 2\n"),
            [
                (2, 1, "the key `a` is written twice here, first on line 1".into()),
                (5, 3, "the key `c` is written twice here, first on line 4".into()),
            ]
        );
    }

    #[test]
    fn hostile_files_are_refused() {
        let deep = "[".repeat(100);
        assert_eq!(faults(&deep)[0].2, "nested more than 64 levels deep");
        assert_eq!(faults(&"[".repeat(100_000)).len(), 1);
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..10 {
            let inner = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb += &format!("a{level}: &a{level} [{inner}]\n");
        }
        assert_eq!(faults(&bomb)[0].2, "aliases add more than 10000 values to this file");
    }
}
