//! The rules on model providers: the keys that each type requires are set.
//!
//! Missing credentials are not an error, because a provider can be defined and never used.

use super::RuleContext;
use crate::file::ProviderType;
use crate::path::Path;

pub(super) fn check(context: &mut RuleContext<'_>) {
    let file = context.file;
    for (name, provider) in &file.llm_providers {
        let path = Path::entry("llm_providers", name);
        if context.locations.is_invalid(&path.key("type")) {
            continue;
        }
        let kind = provider.r#type.as_str();
        for (key, present) in provider.needed_keys() {
            if !present && !context.locations.is_invalid(&path.key(key)) {
                context.error_at_key(&path, format!("a provider of type `{kind}` requires `{key}`"));
            }
        }
        if provider.cassette.is_some() && provider.r#type != ProviderType::Replay {
            let message = format!("`cassette` is not supported for type `{kind}`, only for `replay`");
            context.error_at_key(&path.key("cassette"), message);
        }
    }
}
