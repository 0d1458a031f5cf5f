use super::*;

/// Returns lines that differ from each other.
fn log(lines: usize) -> String {
    let words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];
    let line = |n: usize| {
        format!("{} {} {} {}\n", words[n % 8], words[n / 8 % 8], words[n / 64 % 8], words[n / 512 % 8])
    };
    (0..lines).map(line).collect()
}

/// Returns the same line with different timestamps.
fn probes(lines: usize) -> String {
    (0..lines).map(|n| format!("10:{:02}:{:02} probe ok in {n} ms\n", n / 60 % 60, n % 60)).collect()
}

#[test]
fn requests_a_summary_only_if_content_would_be_lost_otherwise() {
    let (short, repeated, long) = (log(10), probes(500), log(500));
    let name = |plan: &Plan| match plan {
        Plan::Show => "show",
        Plan::ShowReduced(_) => "reduced",
        Plan::Summarize { .. } => "summary",
    };
    let cases = [
        (&short, None, "show"),
        (&short, Some(9000), "show"),
        (&repeated, None, "reduced"),
        (&repeated, Some(9000), "reduced"),
        (&long, None, "reduced"),
        (&long, Some(9000), "summary"),
    ];
    for (text, max_input, expected) in cases {
        assert_eq!(name(&plan(text, "r1", 300, max_input)), expected, "{} {max_input:?}", &text[..20]);
    }
}

#[test]
fn the_summary_input_is_the_full_text_if_it_fits_and_never_contains_the_note_for_agents() {
    let text = log(500);
    let Plan::Summarize { input, fallback } = plan(&text, "r1", 300, Some(50_000)) else {
        panic!("no summary")
    };
    assert_eq!(input, text);
    assert!(fallback.contains(r#"read_result with id "r1""#), "{fallback}");
    let Plan::Summarize { input, .. } = plan(&text, "r1", 300, Some(1000)) else { panic!("no summary") };
    assert!(tokens_at_most(&input) <= 1000 && !input.contains("read_result"), "{input}");
}
