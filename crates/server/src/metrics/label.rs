//! Values of labels. The library writes them as they are, and a quotation mark would end one.

/// A text as it may stand between the quotation marks of a label.
pub(super) fn escaped(text: &str) -> String {
    text.replace('\\', r"\\").replace('"', r#"\""#).replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_makes_up_stays_within_its_label() {
        assert_eq!(escaped("a\"} 1\nfake{\\"), r#"a\"} 1\nfake{\\"#);
        assert_eq!(escaped("kubernetes-server"), "kubernetes-server");
    }
}
