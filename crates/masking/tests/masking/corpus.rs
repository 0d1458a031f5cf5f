//! The corpus: every secret is masked, and nothing else changes.
//!
//! Samples are templates that are filled with generated values, so that no file contains what looks like a
//! live secret.

mod sample;

use std::collections::BTreeMap;

use sample::{Random, Sample, negatives, positives};
use tarsy_masking::{Ledger, Masked, Masker, Selection};

use crate::yaml;

fn mask(masker: &Masker, text: &str) -> Masked {
    masker.mask(text, &mut Ledger::new(b"session"))
}

fn all() -> Masker {
    Masker::new(&Selection::groups(["all"])).unwrap()
}

/// Fails with all failures instead of the first one.
fn report(what: &str, wrong: &[String]) {
    assert!(wrong.is_empty(), "{} {what}:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// Returns a part of a secret that is still in the text.
fn survivor<'s>(sample: &'s Sample, masked: &str) -> Option<&'s str> {
    sample.secrets.iter().find_map(|secret| {
        let starts: Vec<usize> = secret.char_indices().map(|(at, _)| at).collect();
        let pieces = starts.iter().filter_map(|at| secret.get(*at..at + 8));
        let mut pieces = pieces.chain((secret.len() < 8).then_some(secret.as_str()));
        pieces.find(|piece| masked.contains(piece))
    })
}

#[test]
fn masks_every_positive() {
    let masker = all();
    let samples = positives();
    assert!(samples.len() >= 300, "{}", samples.len());
    let wrong: Vec<String> = samples
        .iter()
        .filter_map(|sample| {
            let masked = mask(&masker, &sample.text);
            let survivor = survivor(sample, &masked.text)?;
            Some(format!("{survivor} survives\n{}\n{}", sample.text, masked.text))
        })
        .collect();
    report("secrets survive", &wrong);
}

#[test]
fn assigns_the_expected_kinds() {
    let masker = all();
    let wrong: Vec<String> = positives()
        .iter()
        .filter(|sample| {
            let masked = mask(&masker, &sample.text).text;
            sample.kinds.iter().any(|kind| !masked.contains(&format!("[MASKED:{kind}#")))
        })
        .map(|sample| format!("{:?}: {}", sample.kinds, mask(&masker, &sample.text).text))
        .collect();
    report("samples have other kinds", &wrong);
}

#[test]
fn masks_every_positive_with_only_its_kinds_selected() {
    let mut maskers = BTreeMap::new();
    let wrong: Vec<String> = positives()
        .iter()
        .filter_map(|sample| {
            let masker = maskers
                .entry(sample.kinds.clone())
                .or_insert_with(|| Masker::new(&Selection::patterns(sample.kinds.clone())).unwrap());
            let masked = mask(masker, &sample.text);
            survivor(sample, &masked.text).map(|_| format!("{:?}: {}", sample.kinds, masked.text))
        })
        .collect();
    report("secrets survive on their own", &wrong);
}

#[test]
fn does_not_change_negatives() {
    let masker = all();
    let samples = negatives();
    assert!(samples.len() >= 300, "{}", samples.len());
    let wrong: Vec<String> = samples
        .iter()
        .filter(|text| mask(&masker, text).text != **text)
        .map(|text| format!("{text}\n{}", mask(&masker, text).text))
        .collect();
    report("harmless texts are changed", &wrong);
}

/// Embeds a text in a JSON string inside a JSON string.
fn embedded(text: &str) -> String {
    let inner = serde_json::json!({"text": text}).to_string();
    serde_json::json!({"content": inner, "code": 0}).to_string()
}

#[test]
fn masks_embedded_strings_alike() {
    let masker = all();
    let opened = |text: &str| {
        let field = |text: &str, name: &str| {
            let value: serde_json::Value = serde_json::from_str(text).unwrap();
            value[name].as_str().unwrap().to_owned()
        };
        field(&field(text, "content"), "text")
    };
    let masked = positives().into_iter().filter_map(|sample| {
        let masked = opened(&mask(&masker, &embedded(&sample.text)).text);
        survivor(&sample, &masked).map(|survivor| format!("{survivor} survives\n{masked}"))
    });
    let kept = negatives().into_iter().filter_map(|text| {
        let masked = mask(&masker, &embedded(&text)).text;
        (masked != embedded(&text)).then(|| format!("{text}\n{}", opened(&masked)))
    });
    report("texts are masked differently inside of strings", &masked.chain(kept).collect::<Vec<_>>());
}

#[test]
fn masking_is_idempotent() {
    let masker = all();
    let texts = positives().into_iter().map(|sample| sample.text).chain(negatives());
    let wrong: Vec<String> = texts
        .filter_map(|text| {
            let once = mask(&masker, &text).text;
            let twice = mask(&masker, &once).text;
            (once != twice).then(|| format!("{once}\n{twice}"))
        })
        .collect();
    report("texts change again", &wrong);
}

#[test]
fn keeps_json_valid() {
    let masker = all();
    let samples: Vec<Sample> = positives().into_iter().filter(|sample| sample.syntax == "json").collect();
    assert!(samples.len() > 15);
    for sample in samples {
        serde_json::from_str::<serde_json::Value>(&sample.text)
            .unwrap_or_else(|error| panic!("{error}: {}", sample.text));
        let masked = mask(&masker, &sample.text).text;
        serde_json::from_str::<serde_json::Value>(&masked)
            .unwrap_or_else(|error| panic!("{error}: {masked}"));
    }
}

#[test]
fn keeps_json_valid_around_truncated_texts() {
    let masker = all();
    let texts: Vec<String> = positives().into_iter().map(|sample| sample.text).chain(negatives()).collect();
    let mut random = Random::new(texts.len());
    let wrong: Vec<String> = texts
        .iter()
        .flat_map(|text| {
            let length = random.below(text.chars().count() + 1);
            let cut: String = text.chars().take(length).collect();
            [serde_json::json!({"a": cut, "b": "it's"}).to_string(), embedded(&cut)]
        })
        .filter_map(|text| {
            let masked = mask(&masker, &text).text;
            serde_json::from_str::<serde_json::Value>(&masked).is_err().then(|| format!("{text}\n{masked}"))
        })
        .collect();
    report("texts are no longer valid JSON", &wrong);
}

#[test]
fn keeps_yaml_valid() {
    let masker = all();
    let samples: Vec<Sample> = positives().into_iter().filter(|sample| sample.syntax == "yaml").collect();
    assert!(samples.len() > 30);
    for sample in samples {
        let before = yaml::outline(&sample.text).unwrap_or_else(|error| panic!("{error}: {}", sample.text));
        let masked = mask(&masker, &sample.text).text;
        let after = yaml::outline(&masked).unwrap_or_else(|error| panic!("{error}: {masked}"));
        assert_eq!(before, after, "{masked}");
    }
}
