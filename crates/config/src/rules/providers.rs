//! The rules on model providers: the keys that each type requires are set, and API keys are long enough to be
//! secrets.
//!
//! Missing credentials are not an error, because a provider can be defined and never used.

use std::collections::BTreeSet;

use tarsy_domain::MIN_SECRET_CHARACTERS;

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
    api_keys(context);
}

/// Warns of each API key that is too short to be removed from error messages.
fn api_keys(context: &mut RuleContext<'_>) {
    let (file, builtin) = (context.file, context.builtin);
    let mut reported = BTreeSet::new();
    for (name, provider) in file.llm_providers.iter().chain(&builtin.llm_providers) {
        let Some(variable) = provider.api_key_env() else { continue };
        let length = context.environment.get(variable).map_or(0, |key| key.chars().count());
        if (1..MIN_SECRET_CHARACTERS).contains(&length) && reported.insert(variable) {
            let characters = if length == 1 { "character" } else { "characters" };
            let message = format!(
                "the API key in `{variable}` has {length} {characters}; keys with fewer than {MIN_SECRET_CHARACTERS} are \
                 not removed from error messages"
            );
            context.warn_at_key(&Path::entry("llm_providers", name), message);
        }
    }
}
