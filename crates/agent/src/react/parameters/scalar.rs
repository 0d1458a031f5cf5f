//! Determines the type of a value without quotes.
//!
//! A text becomes a number only if the number preserves it exactly: `007`, `1_000`, `1.30`, dates and hashes
//! stay strings, because a version or an id that loses a digit is wrong, and a string can still be converted
//! to a number later.

use serde_json::{Number, Value};

/// Number of digits that a floating-point number always preserves.
const KEPT_DIGITS: usize = 15;

/// Returns the value of a text without quotes.
pub(in crate::react) fn typed(text: &str) -> Value {
    let text = text.trim();
    let word = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if word(&["true"]) {
        return Value::Bool(true);
    }
    if word(&["false"]) {
        return Value::Bool(false);
    }
    if word(&["null", "none"]) {
        return Value::Null;
    }
    number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, rest) = digits.split_at(digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len()));
    let has_leading_zero = whole.len() > 1 && whole.starts_with('0');
    if whole.is_empty() || has_leading_zero {
        return None;
    }
    if rest.is_empty() {
        return text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok();
    }
    let mantissa = text.split(['e', 'E']).next()?.trim_start_matches(['-', '0', '.']);
    let is_kept = mantissa.bytes().filter(u8::is_ascii_digit).count() <= KEPT_DIGITS;
    (is_kept && is_fraction(rest)).then(|| text.parse().ok().and_then(Number::from_f64)).flatten()
}

/// Returns whether a text is `.5`, `.5e3` or `e-3`, without a trailing zero that a number would lose. `1e5`
/// can be a hash.
fn is_fraction(text: &str) -> bool {
    let (fraction, exponent) = match text.split_once(['e', 'E']) {
        Some((fraction, exponent)) => (fraction, Some(exponent)),
        None => (text, None),
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let fraction_fits = match fraction.strip_prefix('.') {
        Some(digits) => is_digits(digits) && (digits.len() == 1 || !digits.ends_with('0')),
        None => fraction.is_empty() && exponent.is_some_and(|exponent| exponent.starts_with(['+', '-'])),
    };
    fraction_fits && exponent.is_none_or(|exponent| is_digits(exponent.trim_start_matches(['+', '-'])))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn booleans_null_and_numbers_are_recognized() {
        let cases = [
            ("true", json!(true)),
            (" FALSE ", json!(false)),
            ("null", json!(null)),
            ("None", json!(null)),
            ("0", json!(0)),
            ("-17", json!(-17)),
            ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
            ("0.25", json!(0.25)),
            ("-2.0", json!(-2.0)),
            ("1.5e3", json!(1500.0)),
            ("2e-3", json!(0.002)),
            ("0.00123456789012345", json!(0.001_234_567_890_123_45)),
        ];
        for (text, value) in cases {
            assert_eq!(typed(text), value, "{text}");
        }
    }

    #[test]
    fn texts_that_a_number_would_not_preserve_stay_strings() {
        let texts = [
            "",
            "007",
            "-007",
            "1_000",
            "nan",
            "inf",
            "-",
            "+5",
            "1.",
            ".5",
            "1.30",
            "1.2.3",
            "2026-01-31",
            "12:30",
            "1e5",
            "12e4567",
            "5e--3",
            "0x10",
            "99999999999999999999",
            "yes",
            "trueish",
            "1e-",
            "1.5e999",
            "0.1234567890123456789",
            "1234567890.1234567",
        ];
        for text in texts {
            assert_eq!(typed(text), json!(text), "{text}");
        }
    }
}
