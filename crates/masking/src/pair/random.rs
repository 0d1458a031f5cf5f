//! Decides whether a value looks random or like a name.

use crate::bytes::starts_with_ignoring_case;

/// Returns whether a value is a short word or joined words: a name and not a secret.
pub(crate) fn is_name(value: &[u8]) -> bool {
    let last = value.iter().rposition(|byte| !matches!(byte, b',' | b';')).map_or(0, |last| last + 1);
    let value = value.get(..last).unwrap_or_default();
    let is_sign = |byte: &u8| matches!(byte, b'-' | b'_' | b'.' | b'/');
    let is_word = |part: &[u8]| {
        let rest = part.get(1..).unwrap_or_default();
        let is_one_case = rest.iter().all(u8::is_ascii_lowercase) || rest.iter().all(u8::is_ascii_uppercase);
        is_one_case && part.first().is_none_or(u8::is_ascii_alphabetic) && part.len() < 16
    };
    let humps =
        value.windows(2).filter(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase()).count();
    let is_camel = value.iter().all(u8::is_ascii_alphabetic) && humps > 0 && humps * 4 < value.len();
    is_camel && value.len() < 32
        || value.split(is_sign).all(is_word) && (value.iter().any(is_sign) || value.len() < 10)
}

/// Returns whether a value contains letters and other characters.
pub(crate) fn is_mixed(value: &[u8]) -> bool {
    let has_letter = value.iter().any(u8::is_ascii_alphabetic);
    let has_other = value.iter().any(|byte| {
        byte.is_ascii_digit()
            || byte.is_ascii_punctuation() && !matches!(byte, b'.' | b',' | b'-' | b'_' | b'/')
    });
    value.len() >= 5 && has_letter && has_other && !value.contains(&b' ')
}

/// Returns whether a value has lower and upper case, digits and punctuation, as a strong password does.
pub(crate) fn is_strong(value: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| value.iter().any(is);
    let is_sign =
        |byte: &u8| matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+' | b'?');
    value.len() >= 8
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
        && has(is_sign)
}

/// Returns whether a value looks randomly generated.
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
    let distinct = seen.iter().filter(|seen| **seen).count();
    let is_mixture = digits > 0 && letters > 0 || changes * 3 >= value.len() && value.len() >= 12;
    distinct >= 5 && is_mixture
}

/// Returns whether a value is an id, digest, version, time or name: possibly random, but not a secret.
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

pub(crate) fn is_uuid(value: &[u8]) -> bool {
    let is_right = |(index, byte): (usize, &u8)| {
        if matches!(index, 8 | 13 | 18 | 23) { *byte == b'-' } else { byte.is_ascii_hexdigit() }
    };
    value.len() == 36 && value.iter().enumerate().all(is_right)
}

/// Returns whether a value is an object name such as `postgres-credentials-8h7m6k`: joined words in lower
/// case.
pub(crate) fn is_object_name(value: &[u8]) -> bool {
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
