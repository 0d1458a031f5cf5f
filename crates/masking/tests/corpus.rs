//! The corpus: everything that must go is gone, and nothing else is touched.
//!
//! Samples are templates, filled here with invented values, so that no file holds what looks like a live secret.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

#[path = "corpus/sample.rs"]
mod sample;
#[path = "corpus/yaml.rs"]
mod yaml;

use std::collections::BTreeMap;

use sample::{Dice, Sample, negatives, positives};
use tarsy_masking::{Ledger, Masked, Masker, Selection};

fn mask(masker: &Masker, text: &str) -> Masked {
    masker.mask(text, &mut Ledger::new(b"session"))
}

fn all() -> Masker {
    Masker::new(&Selection::groups(["all"])).unwrap()
}

/// Fails with all that went wrong, not with the first of it.
fn report(what: &str, wrong: &[String]) {
    assert!(wrong.is_empty(), "{} {what}:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// A piece of a secret that is still there.
fn survivor<'s>(sample: &'s Sample, masked: &str) -> Option<&'s str> {
    sample.secrets.iter().find_map(|secret| {
        let starts: Vec<usize> = secret.char_indices().map(|(at, _)| at).collect();
        let pieces = starts.iter().filter_map(|at| secret.get(*at..at + 8));
        let mut pieces = pieces.chain((secret.len() < 8).then_some(secret.as_str()));
        pieces.find(|piece| masked.contains(piece))
    })
}

#[test]
fn every_positive_is_gone() {
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
fn every_positive_gets_its_kinds() {
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
fn every_positive_is_gone_when_its_kinds_alone_are_selected() {
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
fn no_negative_is_touched() {
    let masker = all();
    let samples = negatives();
    assert!(samples.len() >= 300, "{}", samples.len());
    let wrong: Vec<String> = samples
        .iter()
        .filter(|text| mask(&masker, text).text != **text)
        .map(|text| format!("{text}\n{}", mask(&masker, text).text))
        .collect();
    report("harmless texts are touched", &wrong);
}

/// A text as a field of JSON that is itself a field of JSON.
fn embedded(text: &str) -> String {
    let inner = serde_json::json!({"text": text}).to_string();
    serde_json::json!({"content": inner, "code": 0}).to_string()
}

#[test]
fn strings_inside_of_strings_make_no_difference() {
    let masker = all();
    let opened = |text: &str| {
        let field = |text: &str, name: &str| {
            let value: serde_json::Value = serde_json::from_str(text).unwrap();
            value[name].as_str().unwrap().to_owned()
        };
        field(&field(text, "content"), "text")
    };
    let gone = positives().into_iter().filter_map(|sample| {
        let masked = opened(&mask(&masker, &embedded(&sample.text)).text);
        survivor(&sample, &masked).map(|survivor| format!("{survivor} survives\n{masked}"))
    });
    let kept = negatives().into_iter().filter_map(|text| {
        let masked = mask(&masker, &embedded(&text)).text;
        (masked != embedded(&text)).then(|| format!("{text}\n{}", opened(&masked)))
    });
    report("texts are masked otherwise inside of strings", &gone.chain(kept).collect::<Vec<_>>());
}

#[test]
fn masking_twice_changes_nothing_more() {
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
fn json_stays_json_with_the_placeholder_as_a_string() {
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
fn json_stays_json_around_texts_that_are_cut_off() {
    let masker = all();
    let texts: Vec<String> = positives().into_iter().map(|sample| sample.text).chain(negatives()).collect();
    let mut dice = Dice::new(texts.len());
    let wrong: Vec<String> = texts
        .iter()
        .flat_map(|text| {
            let length = dice.roll(text.chars().count() + 1);
            let cut: String = text.chars().take(length).collect();
            [serde_json::json!({"a": cut, "b": "it's"}).to_string(), embedded(&cut)]
        })
        .filter_map(|text| {
            let masked = mask(&masker, &text).text;
            serde_json::from_str::<serde_json::Value>(&masked).is_err().then(|| format!("{text}\n{masked}"))
        })
        .collect();
    report("texts are no JSON any more", &wrong);
}

#[test]
fn yaml_stays_yaml_with_the_placeholder_as_a_string() {
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
