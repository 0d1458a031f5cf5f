//! The rules on model providers: each type has the keys it cannot do without.
//!
//! Whether credentials are present is not a rule: a provider may be defined and never used.

use super::RuleContext;
use crate::file::ProviderType;
use crate::path::Path;

pub(super) fn check(context: &mut RuleContext<'_>) {
    let file = context.file;
    for (name, provider) in &file.llm_providers {
        let path = Path::entry("llm_providers", name);
        if context.locations.is_faulty(&path.key("type")) {
            continue;
        }
        let kind = provider.r#type.as_str();
        for (key, present) in provider.needed_keys() {
            if !present && !context.locations.is_faulty(&path.key(key)) {
                context.fault_at_key(&path, format!("a provider of type `{kind}` needs `{key}`"));
            }
        }
        if provider.cassette.is_some() && provider.r#type != ProviderType::Replay {
            let message = format!("a provider of type `{kind}` has no `cassette`; that is for type `replay`");
            context.fault_at_key(&path.key("cassette"), message);
        }
    }
}
