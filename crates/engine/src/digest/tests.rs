use super::*;

/// Lines that all say something else.
fn log(lines: usize) -> String {
    let words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];
    let line = |n: usize| {
        format!("{} {} {} {}\n", words[n % 8], words[n / 8 % 8], words[n / 64 % 8], words[n / 512 % 8])
    };
    (0..lines).map(line).collect()
}

/// The same line with another time, again and again.
fn probes(lines: usize) -> String {
    (0..lines).map(|n| format!("10:{:02}:{:02} probe ok in {n} ms\n", n / 60 % 60, n % 60)).collect()
}

#[test]
fn a_text_is_summarised_only_if_parts_would_be_missing_otherwise() {
    let (short, repeated, long) = (log(10), probes(500), log(500));
    let name = |plan: &Plan| match plan {
        Plan::Show => "show",
        Plan::ShowReduced(_) => "reduced",
        Plan::Summarise { .. } => "summary",
    };
    let cases = [
        (&short, None, "show"),
        (&short, Some(9000), "show"),
        (&repeated, None, "reduced"),
        (&repeated, Some(9000), "reduced"),
        (&long, None, "reduced"),
        (&long, Some(9000), "summary"),
    ];
    for (text, reads, expected) in cases {
        assert_eq!(name(&plan(text, "r1", 300, reads)), expected, "{} {reads:?}", &text[..20]);
    }
}

#[test]
fn a_model_reads_the_whole_text_if_it_can_and_never_a_note_that_is_not_for_it() {
    let text = log(500);
    let Plan::Summarise { input, or_else } = plan(&text, "r1", 300, Some(50_000)) else {
        panic!("no summary")
    };
    assert_eq!(input, text);
    assert!(or_else.contains(r#"read_result with id "r1""#), "{or_else}");
    let Plan::Summarise { input, .. } = plan(&text, "r1", 300, Some(1000)) else { panic!("no summary") };
    assert!(tokens_at_most(&input) <= 1000 && !input.contains("read_result"), "{input}");
}
