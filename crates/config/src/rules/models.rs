//! The rule on models: every key is a valid name pattern.
//!
//! Whether a model with such a name exists is not checked.

use tarsy_domain::ModelPattern;

use super::RuleContext;
use crate::path::Path;

pub(super) fn check(context: &mut RuleContext<'_>) {
    let file = context.file;
    for pattern in file.models.keys() {
        if let Err(error) = pattern.parse::<ModelPattern>() {
            context.error_at_key(&Path::entry("models", pattern), error.to_string());
        }
    }
}
