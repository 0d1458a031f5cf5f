//! Samples: templates from the data files, filled with generated values.

/// A text with secrets.
#[derive(Debug)]
pub(crate) struct Sample {
    /// The kinds of its secrets.
    pub(crate) kinds: Vec<String>,
    /// `json`, `yaml` or empty.
    pub(crate) syntax: String,
    pub(crate) text: String,
    pub(crate) secrets: Vec<String>,
}

/// Returns all texts with secrets.
pub(crate) fn positives() -> Vec<Sample> {
    let lines = [include_str!("vendors.lines"), include_str!("pairs.lines")];
    let lines = lines.into_iter().flat_map(lines_of).map(|line| {
        let (kind, template) = line.split_once(" | ").unwrap();
        (kind.to_owned(), String::new(), template.to_owned())
    });
    let blocks = blocks_of(include_str!("structures.blocks")).into_iter().map(|(head, template)| {
        let (kind, syntax) = head.split_once(' ').unwrap_or((&head, ""));
        (kind.to_owned(), syntax.to_owned(), template)
    });
    lines
        .chain(blocks)
        .enumerate()
        .map(|(seed, (kinds, syntax, template))| sample(seed, &kinds, syntax, &template))
        .collect()
}

/// Returns all texts without secrets.
pub(crate) fn negatives() -> Vec<String> {
    let lines = lines_of(include_str!("negatives.lines")).map(str::to_owned);
    let blocks = blocks_of(include_str!("negatives.blocks")).into_iter().map(|(_, text)| text);
    lines.chain(blocks).enumerate().map(|(seed, template)| fill(&template, &mut Random::new(seed))).collect()
}

fn lines_of(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().filter(|line| !line.starts_with("# ") && !line.is_empty())
}

fn blocks_of(file: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    for line in file.lines() {
        if let Some(head) = line.strip_prefix("===").filter(|head| !head.starts_with('=')) {
            blocks.push((head.trim().to_owned(), String::new()));
        } else if let Some((_, text)) = blocks.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    blocks
}

fn sample(seed: usize, kinds: &str, syntax: String, template: &str) -> Sample {
    let filled = fill(template, &mut Random::new(seed));
    let secrets = filled.split('⟦').skip(1).map(|rest| rest.split('⟧').next().unwrap().to_owned()).collect();
    let text = filled.replace(['⟦', '⟧'], "");
    let kinds = kinds.split('+').map(str::to_owned).collect();
    Sample { kinds, syntax, text, secrets }
}

/// Replaces `{class:length}` with generated values.
pub(crate) fn fill(template: &str, random: &mut Random) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let filled = rest.find('}').and_then(|close| Some((random.fill(&rest[1..close])?, close)));
        match filled {
            Some((value, close)) => {
                out.push_str(&value);
                rest = &rest[close + 1..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

/// A deterministic random number generator.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: usize) -> Self {
        Self((seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    fn fill(&mut self, slot: &str) -> Option<String> {
        const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
        const DIGITS: &str = "0123456789";
        if slot == "dashes" {
            return Some("-".repeat(5));
        }
        let (class, length) = slot.split_once(':')?;
        let alphabet = match class {
            "upper" => format!("{UPPER}234567"),
            "lower" => format!("{LOWER}{DIGITS}"),
            "word" => LOWER.to_owned(),
            "digits" => DIGITS.to_owned(),
            "hex" => format!("{DIGITS}abcdef"),
            "alnum" => format!("{UPPER}{LOWER}{DIGITS}"),
            "url" => format!("{UPPER}{LOWER}{DIGITS}-_"),
            "b64" => format!("{UPPER}{LOWER}{DIGITS}+/"),
            "pass" => format!("{UPPER}{LOWER}{DIGITS}!^_-+.~"),
            _ => return None,
        };
        let alphabet: Vec<char> = alphabet.chars().collect();
        let mut value: String =
            (0..length.parse::<usize>().ok()?).map(|_| alphabet[self.below(alphabet.len())]).collect();
        if class == "digits" && value.starts_with('0') {
            // JSON numbers have no leading zero.
            value.replace_range(..1, "7");
        }
        if matches!(class, "pass" | "alnum") && value.len() < 20 {
            // Punctuation at the ends would belong to the text around, and a short value without a digit may
            // be a word.
            value = format!("q7{}Z", value.get(3..).unwrap_or_default());
            value.truncate(length.parse().ok()?);
        }
        Some(value)
    }
}
