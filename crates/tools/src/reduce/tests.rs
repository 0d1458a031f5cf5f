use proptest::prelude::*;

use super::*;

fn shorter(text: &str, budget_tokens: usize) -> (String, String) {
    match reduce(text, budget_tokens, "r1") {
        Reduced::Shorter { text, note, .. } => {
            let kept = text.strip_suffix(&note).unwrap().to_owned();
            (kept, note)
        }
        Reduced::Unchanged => panic!("unchanged"),
    }
}

#[test]
fn leaves_a_small_text_unchanged() {
    assert_eq!(reduce("all is well", 6, "r1"), Reduced::Unchanged);
}

#[test]
fn collapses_repetitions_first() {
    let log: String =
        (0..500).map(|n| format!("10:{:02}:{:02} probe ok in {n} ms\n", n / 60, n % 60)).collect();
    let (kept, note) = shorter(&log, 200);
    insta::assert_snapshot!(kept, @r"
    10:00:00 probe ok in 0 ms
    [498 more lines like these]
    10:08:19 probe ok in 499 ms
    ");
    insta::assert_snapshot!(note, @r#"

    [Shortened: repetitions were collapsed. The whole result has 500 lines, about 6945 tokens. To read more of it, call read_result with id "r1" and either lines (from, to) or a pattern to search for.]
    "#);
}

#[test]
fn keeps_beginning_end_and_problems_with_context() {
    let words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];
    let mut lines: Vec<String> =
        (0..400).map(|n| format!("{} {} {}", words[n % 8], words[n / 8 % 8], words[n / 64])).collect();
    lines[200] = "connection refused by db-1".to_owned();
    let (kept, _) = shorter(&lines.join("\n"), 300);
    insta::assert_snapshot!(kept);
}

#[test]
fn drops_empty_json_fields_first() {
    let pods: Vec<_> = (0..20)
        .map(|n| serde_json::json!({"name": format!("pod-{n}"), "labels": {}, "owner": null, "restarts": n}))
        .collect();
    let text = serde_json::to_string_pretty(&serde_json::json!({"items": pods, "next": ""})).unwrap();
    let (kept, _) = shorter(&text, 400);
    let value: serde_json::Value = serde_json::from_str(&kept).unwrap();
    assert_eq!(value["items"][7], serde_json::json!({"name": "pod-7", "restarts": 7}));
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z ]{0,40}",
        2 => "GET /[a-c]/[0-9]{1,3} 200",
        1 => "[a-zü]{900,2500}",
        1 => Just("status: {}".to_owned()),
        1 => Just(String::new()),
        1 => "ERROR [a-z]{1,10} failed",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn never_exceeds_the_budget(
        lines in prop::collection::vec(line(), 0..120), budget in 0usize..3000
    ) {
        let text = lines.join("\n");
        if let Reduced::Shorter { text: reduced, note, .. } = reduce(&text, budget, "r1") {
            // One gap is always marked, even with an empty budget.
            prop_assert!(reduced.len() - note.len() <= bytes_that_fit(budget).max(60));
            prop_assert!(note.len() < 400);
            prop_assert!(reduced.ends_with(&note));
        }
    }

    #[test]
    fn keeps_a_problem_line(
        before in prop::collection::vec("[a-z ]{1,60}", 0..80), after in prop::collection::vec("[a-z ]{1,60}", 0..80)
    ) {
        let problem_line = "2026-11-15 FATAL: disk full on node-7";
        let quiet = |lines: Vec<String>| lines.into_iter().filter(|line| !problem::looks_like_problem(line)).collect::<Vec<_>>();
        let text = [quiet(before), vec![problem_line.to_owned()], quiet(after)].concat().join("\n");
        if let Reduced::Shorter { text, .. } = reduce(&text, 150, "r1") {
            prop_assert!(text.contains(problem_line), "{text}");
        }
    }

    #[test]
    fn accepts_any_text(text in any::<String>(), budget in 0usize..50) {
        reduce(&text, budget, "r1");
    }

    #[test]
    fn accepts_any_json(lines in prop::collection::vec(line(), 0..50), budget in 0usize..500) {
        let text = serde_json::to_string(&serde_json::json!({"a": lines, "b": {"c": null}})).unwrap();
        reduce(&text, budget, "r1");
    }
}
