//! Values that are recorded as JSON text: the one way to encode them and the one way to decode them.
//!
//! A value that cannot be encoded fails the write; it never becomes an empty text. A text that cannot be
//! decoded is [`StoreError::Corrupt`]; it never becomes a default. Columns whose type this crate knows are
//! encoded and decoded in it. The others, such as the setup of a run, are encoded and decoded by the crate
//! that owns the type, with these functions.

use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::StoreError;

/// Encodes a value for a JSON column.
///
/// Fails with [`StoreError::Rejected`], because the same value can never be written.
pub fn encode_json<T: Serialize + ?Sized>(column: &str, value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| {
        StoreError::Rejected(format!("the value for column {column} is not valid JSON: {error}").into())
    })
}

/// Decodes the text of a JSON column. `row` is the id of the row, for the error.
pub fn decode_json<T: DeserializeOwned>(
    column: &str,
    row: impl Display,
    text: &str,
) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::corrupt(column, row, error))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_value_that_cannot_be_encoded_is_an_error_that_names_the_column() {
        let no_json = BTreeMap::from([((1, 2), "keys of objects are strings")]);
        let error = encode_json("response", &no_json).unwrap_err();
        assert!(matches!(error, StoreError::Rejected(_)));
        assert!(error.to_string().contains("column response"), "{error}");
    }

    #[test]
    fn a_text_that_cannot_be_decoded_is_an_error_that_names_column_and_row() {
        let error = decode_json::<Vec<u64>>("numbers", "row-7", "[1,").unwrap_err();
        assert_eq!(
            error.to_string(),
            "column numbers of row-7 cannot be read: EOF while parsing a value at line 1 column 3"
        );
    }
}
