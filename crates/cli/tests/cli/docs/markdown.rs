//! A Markdown page: its fenced blocks and the text around them.

/// A page.
#[derive(Debug, Default)]
pub(crate) struct Markdown {
    pub(crate) blocks: Vec<Block>,
    /// The lines outside of blocks, with their numbers.
    pub(crate) prose: Vec<(usize, String)>,
}

/// A fenced block.
#[derive(Debug, PartialEq)]
pub(crate) struct Block {
    /// The language of the opening fence; empty without one.
    pub(crate) language: String,
    /// The number of its first line of text.
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl Markdown {
    pub(crate) fn read(text: &str) -> Self {
        let mut page = Self::default();
        let mut open: Option<Block> = None;
        for (line, number) in text.lines().zip(1..) {
            let fence = line.trim_start().strip_prefix("```");
            match (open.take(), fence) {
                (None, None) => page.prose.push((number, line.to_owned())),
                (None, Some(language)) => {
                    open =
                        Some(Block { language: language.to_owned(), line: number + 1, text: String::new() });
                }
                (Some(block), Some(_)) => page.blocks.push(block),
                (Some(mut block), None) => {
                    block.text.push_str(line);
                    block.text.push('\n');
                    open = Some(block);
                }
            }
        }
        page
    }

    /// Returns the inline code with its line numbers.
    pub(crate) fn code_spans(&self) -> Vec<(usize, &str)> {
        let lines = self.prose.iter().map(|(number, line)| (*number, line.split('`')));
        lines.flat_map(|(number, parts)| parts.skip(1).step_by(2).map(move |span| (number, span))).collect()
    }
}

impl Block {
    /// Returns the file name in the comment on the first line.
    pub(crate) fn file(&self) -> Option<&str> {
        let first = self.text.lines().next()?;
        let template = first.strip_prefix("{# ").and_then(|rest| rest.strip_suffix(" #}"));
        let name = template.or_else(|| first.strip_prefix("# "))?;
        let is_plain = |char: char| char.is_ascii_alphanumeric() || "._-/".contains(char);
        (name.contains('.') && name.chars().all(is_plain)).then_some(name)
    }
}

#[test]
fn finds_blocks_with_their_lines() {
    let page =
        Markdown::read("# Title\n\nDo `this` now:\n\n```sh\ntrue\n```\n\n```yaml\n# a/b.yaml\na: 1\n```\n");
    let block = |language: &str, line, text: &str| Block {
        language: language.to_owned(),
        line,
        text: text.to_owned(),
    };
    assert_eq!(page.blocks, [block("sh", 6, "true\n"), block("yaml", 10, "# a/b.yaml\na: 1\n")]);
    assert_eq!(page.blocks.iter().map(Block::file).collect::<Vec<_>>(), [None, Some("a/b.yaml")]);
    assert_eq!(page.code_spans(), [(3, "this")]);
}
