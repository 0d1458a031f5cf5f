//! Decides whether a value can be a secret and is not a word, a reference, a template, a type or a sentence.

use std::sync::LazyLock;

use super::word_list::{WordList, list};
use crate::bytes::{Class, contains_ignoring_case, starts_with_ignoring_case};

/// Words that can occur instead of a secret.
static WORDS: WordList = LazyLock::new(|| {
    list(
        "null unexpected none nil undefined true false yes no on off n/a na unset unknown empty missing \
     invalid expired required optional string str text bytes byte int integer number bool boolean \
     object array any varchar char enabled disabled default auto generated set unchanged changed \
     incorrect wrong failed ok success error mismatch rejected accepted denied provided supplied \
     given not redacted masked hidden removed valid used using opaque revoked refreshed rotated \
     updated created deleted found absent present omitted filtered sensitive encrypted todo tbd fixme \
     <none> void dynamic static option self this the a an must is should to for of in was has please \
     cannot can does may at and or enter use your with from only it be are will have which that when \
     if length too field need needs could couldn't can't doesn't isn't authentication authorization \
     rotation verification always never secretstr",
    )
});

/// Prefixes of references and encrypted values.
static REFERENCES: WordList = LazyLock::new(|| {
    list(
        "{{ $( $[ (( @{ #{ %( %{ enc[ enc( vault: op:// arn:aws projects/ ref+ env: env. $env: file: \
     awssm:// sm:// kms: akv:// secretref secret:// !vault !secret !ref !sub !reference &str option< \
     []byte vec< your- your_ my-password-here os.environ os.getenv process.env std::env \
     system.getenv sha256: sha512: sha1: md5: [masked: keychain: doppler:// gcp-sm:// \
     aws-sm:// azure-kv:// lookup( data. var. local. module. secrets. inputs. github.event self. \
     this. cfg. config. settings. request. req. ctx. args. opts. options. params. props. state. \
     values. .values @microsoft.keyvault(",
    )
});

/// Folders of files with secrets.
static FOLDERS: WordList = LazyLock::new(|| {
    list(
        "/run/ /var/ /etc/ /mnt/ /vault/ /secrets/ /home/ /opt/ /tmp/ /usr/ /root/ ./ ../ ~/ /dev/ /proc/ \
     /app/ /data/ /config/",
    )
});

/// Returns whether the value of a name that suggests a secret can be one.
pub(crate) fn is_secret(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    if let Some(default) = default_of(value) {
        return is_secret(default);
    }
    let is_short = value.len() < 3 || value.iter().filter(|byte| **byte & 0xc0 != 0x80).count() < 3;
    !is_short
        && !is_word(value)
        && !is_metavariable(value)
        && !is_masked(value)
        && !is_reference(value)
        && !is_code(value)
}

/// Returns the default in `${NAME:-value}` and `${NAME:value}`.
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

/// Returns whether a value is a word that is not a secret, or a sentence that starts with one.
fn is_word(value: &[u8]) -> bool {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'(';
    let first = value.split(is_end).next().unwrap_or_default();
    let stop = first
        .iter()
        .rposition(|byte| !matches!(byte, b',' | b';' | b'.' | b')' | b'!' | b'?'))
        .map_or(0, |at| at + 1);
    let first = first.get(..stop).unwrap_or_default();
    let is_size = value.ends_with(b" bytes") || value.ends_with(b" byte");
    is_size || is_listed(first)
}

fn is_listed(word: &[u8]) -> bool {
    word.len() < 24 && std::str::from_utf8(&word.to_ascii_lowercase()).is_ok_and(|word| WORDS.contains(word))
}

/// Returns whether a value is a placeholder of a manual: `PASSWORD`, `YOUR_API_KEY`.
fn is_metavariable(value: &[u8]) -> bool {
    let nouns = ["PASSWORD", "PASSWD", "TOKEN", "SECRET", "KEY", "PASS", "PWD", "CREDENTIALS"];
    value.iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-'))
        && nouns.iter().any(|noun| value.ends_with(noun.as_bytes()))
}

/// Returns whether a value is already masked: stars, dots, `<…>`, `[…]`.
fn is_masked(value: &[u8]) -> bool {
    let first = value.first().copied().unwrap_or_default();
    let last = value.last().copied().unwrap_or_default();
    let is_same = value.iter().all(|byte| *byte == first) && !first.is_ascii_digit();
    let is_stars = value.iter().all(|byte| {
        matches!(byte, b'*' | b'.' | b'x' | b'X' | b'-' | b'_' | b'#' | b'?' | 0xe2 | 0x80 | 0xa2 | 0xa6)
    });
    let is_framed = (first == b'<' && (last == b'>' || value.windows(2).any(|two| two == b"> ")))
        || matches!((first, last), (b'[', b']') | (b'(', b')'))
        || value.starts_with(b"[MASKED:") && last == b']';
    let says_so = value.len() < 64
        && (contains_ignoring_case(value, "redacted") || contains_ignoring_case(value, "masked"));
    let is_starred = value.windows(3).any(|three| three == b"***");
    is_same || is_stars || is_framed || says_so || is_starred
}

/// Returns whether a value refers to a variable, a file or an entry of a secret store.
fn is_reference(value: &[u8]) -> bool {
    let is_named = |start: &&str| {
        // A prefix that ends with a dot is the start of a path through values.
        let is_path = !start.ends_with('.') || value.iter().all(|byte| Class::Name.has(*byte));
        is_path && starts_with_ignoring_case(value, start)
    };
    let is_file = FOLDERS.iter().any(|folder| value.starts_with(folder.as_bytes()))
        && value.iter().all(|byte| Class::Name.has(*byte) || matches!(byte, b'/' | b'~'));
    is_file || is_variable(value) || REFERENCES.iter().any(is_named)
}

/// Returns whether a value is a variable: `$NAME`, `%NAME%`, `*alias`, `__NAME__`.
fn is_variable(value: &[u8]) -> bool {
    let (Some(first), Some(last)) = (value.first(), value.last()) else { return false };
    let inner = value.get(1..).unwrap_or_default();
    let is_word = inner.iter().all(|byte| Class::Word.has(*byte));
    let has = |is: fn(&u8) -> bool| inner.iter().any(is);
    match first {
        // A password may start with a dollar sign; names of variables do not mix lower case with digits.
        b'$' => is_word && !(has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit)),
        b'*' => is_word && !has(u8::is_ascii_digit),
        b'%' => *last == b'%',
        b'_' => value.starts_with(b"__") && value.ends_with(b"__"),
        _ => false,
    }
}

/// Returns whether a value is code: a call, an index, or a path.
fn is_code(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"&").unwrap_or(value);
    let name = value
        .iter()
        .position(|byte| !(Class::Word.has(*byte) || matches!(byte, b'.' | b':')))
        .unwrap_or(value.len());
    let is_call =
        name > 1 && value.get(name) == Some(&b'(') && value.first().is_some_and(u8::is_ascii_alphabetic);
    let is_path = value.get(..name).is_some_and(|path| {
        let mut parts = path.split(|byte| *byte == b':');
        path.windows(2).any(|two| two == b"::") && parts.all(|part| part.len() < 24)
    });
    let is_index = name > 1 && value.get(name) == Some(&b'[') && value.contains(&b']');
    is_call || is_index || is_path
}
