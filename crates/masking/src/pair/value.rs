//! Whether a value can be a secret: not a word, a reference, a template, a type, a sentence.

use crate::bytes::{Class, contains_ignoring_case, starts_with_ignoring_case};

/// Words that stand where a secret would, and say something else.
const WORDS: &[&str] = &[
    "null",
    "unexpected",
    "none",
    "nil",
    "undefined",
    "true",
    "false",
    "yes",
    "no",
    "on",
    "off",
    "n/a",
    "na",
    "unset",
    "unknown",
    "empty",
    "missing",
    "invalid",
    "expired",
    "required",
    "optional",
    "string",
    "str",
    "text",
    "bytes",
    "byte",
    "int",
    "integer",
    "number",
    "bool",
    "boolean",
    "object",
    "array",
    "any",
    "varchar",
    "char",
    "enabled",
    "disabled",
    "default",
    "auto",
    "generated",
    "set",
    "unchanged",
    "changed",
    "incorrect",
    "wrong",
    "failed",
    "ok",
    "success",
    "error",
    "mismatch",
    "rejected",
    "accepted",
    "denied",
    "provided",
    "supplied",
    "given",
    "not",
    "redacted",
    "masked",
    "hidden",
    "removed",
    "valid",
    "used",
    "using",
    "opaque",
    "revoked",
    "refreshed",
    "rotated",
    "updated",
    "created",
    "deleted",
    "found",
    "absent",
    "present",
    "omitted",
    "filtered",
    "sensitive",
    "encrypted",
    "todo",
    "tbd",
    "fixme",
    "<none>",
    "void",
    "dynamic",
    "static",
    "option",
    "self",
    "this",
    "the",
    "a",
    "an",
    "must",
    "is",
    "should",
    "to",
    "for",
    "of",
    "in",
    "was",
    "has",
    "please",
    "cannot",
    "can",
    "does",
    "may",
    "at",
    "and",
    "or",
    "enter",
    "use",
    "your",
    "with",
    "from",
    "only",
    "it",
    "be",
    "are",
    "will",
    "has",
    "have",
    "which",
    "that",
    "when",
    "if",
    "length",
    "too",
    "field",
    "need",
    "needs",
    "could",
    "couldn't",
    "can't",
    "doesn't",
    "isn't",
    "authentication",
    "authorization",
    "rotation",
    "verification",
];

/// How references and encrypted values begin.
const REFERENCES: &[&str] = &[
    "{{",
    "$(",
    "$[",
    "((",
    "@{",
    "#{",
    "%(",
    "%{",
    "__",
    "enc[",
    "enc(",
    "vault:",
    "op://",
    "arn:aws",
    "projects/",
    "ref+",
    "env:",
    "env.",
    "$env:",
    "file:",
    "awssm://",
    "sm://",
    "kms:",
    "akv://",
    "secretref",
    "secret://",
    "!vault",
    "!secret",
    "!ref",
    "!sub",
    "!reference",
    "&str",
    "option<",
    "[]byte",
    "vec<",
    "your-",
    "your_",
    "your ",
    "my-password-here",
    "os.environ",
    "os.getenv",
    "process.env",
    "std::env",
    "system.getenv",
    "sha256:",
    "sha512:",
    "sha1:",
    "md5:",
    "!!",
    "*",
    "//",
    "[masked:",
    "keychain:",
    "doppler://",
    "gcp-sm://",
    "aws-sm://",
    "azure-kv://",
    "lookup(",
    "data.",
    "var.",
    "local.",
    "module.",
    "secrets.",
    "inputs.",
    "github.event",
    "self.",
    "this.",
    "cfg.",
    "config.",
    "settings.",
    "request.",
    "req.",
    "ctx.",
    "args.",
    "opts.",
    "options.",
    "params.",
    "props.",
    "state.",
    "values.",
    ".values",
];

/// Folders in which files with secrets lie.
const FOLDERS: &[&str] = &[
    "/run/",
    "/var/",
    "/etc/",
    "/mnt/",
    "/vault/",
    "/secrets/",
    "/home/",
    "/opt/",
    "/tmp/",
    "/usr/",
    "/root/",
    "./",
    "../",
    "~/",
    "/dev/",
    "/proc/",
    "/app/",
    "/data/",
    "/config/",
];

/// Whether a value behind a name that promises a secret is one.
pub(crate) fn is_secret(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    if let Some(default) = default_of(value) {
        return is_secret(default);
    }
    value.len() >= 3 && !is_word(value) && !is_veiled(value) && !is_reference(value) && !is_code(value)
}

/// `${NAME:-value}` and `${NAME:value}`: what is taken when the variable is not there.
fn default_of(value: &[u8]) -> Option<&[u8]> {
    let inner = value.strip_prefix(b"${")?;
    let inner = inner.strip_suffix(b"}").unwrap_or(inner);
    let colon = inner.iter().position(|byte| *byte == b':');
    let default = colon.and_then(|colon| inner.get(colon + 1..)).unwrap_or_default();
    match default.first() {
        Some(b'-' | b'=') => default.get(1..),
        Some(b'?' | b'+') => Some(b""),
        Some(_) | None => Some(default),
    }
}

/// A single word that says something else, or a sentence that begins with one.
fn is_word(value: &[u8]) -> bool {
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, b',' | b';' | b'.' | b'(' | b')' | b'!' | b'?')
    };
    let first = value.split(ends).next().unwrap_or_default();
    let is_plain =
        first.len() == value.len() || value.get(first.len()).is_some_and(|byte| ends(byte) && *byte != b'!');
    let is_listed = WORDS.iter().any(|word| first.eq_ignore_ascii_case(word.as_bytes()));
    let is_size = value.ends_with(b" bytes") || value.ends_with(b" byte");
    (is_plain && is_listed && is_tail_prose(value.get(first.len()..).unwrap_or_default())) || is_size
}

/// Whether what follows a word is words too: `not-so-secret9` and `true.Xy7!` are none.
fn is_tail_prose(tail: &[u8]) -> bool {
    tail.first().is_none_or(|byte| !matches!(byte, b'.' | b'!' | b'?') || tail.len() == 1)
        || tail.contains(&b' ')
}

/// Stars, dots, `<…>`, `[…]`: somebody masked it before.
fn is_veiled(value: &[u8]) -> bool {
    let first = value.first().copied().unwrap_or_default();
    let last = value.last().copied().unwrap_or_default();
    let is_same = value.iter().all(|byte| *byte == first) && !first.is_ascii_digit();
    let is_stars = value.iter().all(|byte| {
        matches!(byte, b'*' | b'.' | b'x' | b'X' | b'-' | b'_' | b'#' | b'?' | 0xe2 | 0x80 | 0xa2 | 0xa6)
    });
    let is_framed = (first == b'<' && value.contains(&b'>'))
        || (first == b'[' && last == b']')
        || value.starts_with(b"[MASKED:") && last == b']';
    let says_so = value.len() < 64
        && (contains_ignoring_case(value, "redacted") || contains_ignoring_case(value, "masked"));
    let is_starred = value.windows(3).any(|three| three == b"***");
    is_same || is_stars || is_framed || says_so || is_starred
}

/// A variable, a path to a file, an entry of a secret store.
fn is_reference(value: &[u8]) -> bool {
    if REFERENCES.iter().any(|start| starts_with_ignoring_case(value, start)) {
        return true;
    }
    if value.first() == Some(&b'$') {
        return value.iter().skip(1).all(|byte| Class::Word.has(*byte))
            && value.get(1).is_some_and(|byte| !byte.is_ascii_digit());
    }
    if value.first() == Some(&b'%') && value.last() == Some(&b'%') {
        return true;
    }
    let is_path = FOLDERS.iter().any(|folder| value.starts_with(folder.as_bytes()));
    is_path && value.iter().all(|byte| Class::Name.has(*byte) || matches!(byte, b'/' | b'~'))
}

/// A call, or a path through a program's values.
fn is_code(value: &[u8]) -> bool {
    let name = value
        .iter()
        .position(|byte| !(Class::Word.has(*byte) || matches!(byte, b'.' | b':')))
        .unwrap_or(value.len());
    let is_call =
        name > 1 && value.get(name) == Some(&b'(') && value.first().is_some_and(u8::is_ascii_alphabetic);
    let is_index = name > 1 && value.get(name) == Some(&b'[') && value.contains(&b']');
    is_call || is_index
}

/// Whether a value is a short word, or words that are joined: the name of something, and not its secret.
pub(crate) fn is_name(value: &[u8]) -> bool {
    let is_word =
        |part: &[u8]| part.iter().all(u8::is_ascii_lowercase) || part.iter().all(u8::is_ascii_uppercase);
    let mut parts = value.split(|byte| matches!(byte, b'-' | b'_' | b'.' | b'/'));
    let is_joined = value.iter().any(|byte| matches!(byte, b'-' | b'_' | b'.' | b'/'));
    parts.all(|part| is_word(part) && part.len() < 16) && (is_joined || value.len() < 10)
}

/// Whether there is more in a value than letters.
pub(crate) fn is_mixed(value: &[u8]) -> bool {
    let has_letter = value.iter().any(u8::is_ascii_alphabetic);
    let has_other = value.iter().any(|byte| {
        byte.is_ascii_digit()
            || byte.is_ascii_punctuation() && !matches!(byte, b'.' | b',' | b'-' | b'_' | b'/')
    });
    value.len() >= 5 && has_letter && has_other && !value.contains(&b' ')
}

/// Whether a value looks like made by dice and not by people.
pub(crate) fn looks_random(value: &[u8]) -> bool {
    let value = value.get(..value.len().min(512)).unwrap_or(value);
    if value.len() < 8 || value.iter().any(u8::is_ascii_whitespace) || is_named(value) {
        return false;
    }
    let count = |is: fn(&u8) -> bool| value.iter().filter(|byte| is(byte)).count();
    let (digits, letters) = (count(u8::is_ascii_digit), count(u8::is_ascii_alphabetic));
    let changes =
        value.windows(2).filter(|two| two[0].is_ascii_uppercase() != two[1].is_ascii_uppercase()).count();
    let mut seen = [false; 256];
    value.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    let different = seen.iter().filter(|seen| **seen).count();
    let is_mixture = digits > 0 && letters > 0 || changes * 3 >= value.len() && value.len() >= 12;
    different >= 5 && is_mixture
}

/// Ids, digests, versions, times, names of objects and of files: made by dice perhaps, but no secrets.
fn is_named(value: &[u8]) -> bool {
    let is_digest = ["sha256:", "sha512:", "sha1:", "md5:", "http://", "https://", "v1.", "v2.", "arn:"]
        .iter()
        .any(|start| starts_with_ignoring_case(value, start));
    let is_time = value
        .iter()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b':' | b'T' | b'Z' | b'.' | b'+'));
    let is_path = value.first() == Some(&b'/') && value.iter().filter(|byte| **byte == b'/').count() > 1;
    is_digest || is_time || is_path || is_uuid(value) || is_object_name(value)
}

fn is_uuid(value: &[u8]) -> bool {
    let is_right = |(index, byte): (usize, &u8)| {
        if matches!(index, 8 | 13 | 18 | 23) { *byte == b'-' } else { byte.is_ascii_hexdigit() }
    };
    value.len() == 36 && value.iter().enumerate().all(is_right)
}

/// `postgres-credentials-8h7m6k`: words in lower case, joined, and the first is one.
fn is_object_name(value: &[u8]) -> bool {
    let parts: Vec<&[u8]> = value.split(|byte| matches!(byte, b'-' | b'.' | b'_' | b'/' | b':')).collect();
    let is_lower = value.iter().all(|byte| {
        !byte.is_ascii_uppercase()
            && *byte > b' '
            && !matches!(byte, b'+' | b'=' | b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*')
    });
    let first = parts.first().copied().unwrap_or_default();
    let is_word = first.len() >= 2 && first.iter().all(u8::is_ascii_alphabetic);
    parts.len() > 1 && is_lower && is_word && parts.iter().all(|part| part.len() <= 16)
}
