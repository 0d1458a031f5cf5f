//! Escaping of label values, which the library writes verbatim.

/// Escapes backslashes, quotation marks and newlines.
pub(super) fn escaped(text: &str) -> String {
    text.replace('\\', r"\\").replace('"', r#"\""#).replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_characters_that_would_end_a_label() {
        assert_eq!(escaped("a\"} 1\nfake{\\"), r#"a\"} 1\nfake{\\"#);
        assert_eq!(escaped("kubernetes-server"), "kubernetes-server");
    }
}
