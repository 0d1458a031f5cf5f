//! Checks that `docs/prompts.md` matches the templates and variables.

use std::collections::BTreeSet;

use super::super::check::variables;
use super::super::*;

const PAGE: &str = include_str!("../../../../../docs/prompts.md");

/// Returns the part of the page from one heading to the next.
fn section(heading: &str) -> &'static str {
    let (_, rest) = PAGE.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    rest.split("\n#").next().unwrap()
}

/// Returns the names in the first column of a table.
fn names(section: &str) -> BTreeSet<String> {
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| row.split('`').next().unwrap().to_owned()).collect()
}

#[test]
fn the_page_lists_every_template() {
    let templates: BTreeSet<String> =
        Prompts::builtin().templates().map(|template| template.name.clone()).collect();
    assert_eq!(names(section("## Templates")), templates);
}

#[test]
fn the_page_lists_every_variable() {
    let cases = [
        ("### Investigation, stage, final analysis, synthesis, chat, and the parts", "parts/system.md.j2"),
        ("### Executive summary", "executive-summary.md.j2"),
        ("### Tool summary", "tool-summary.md.j2"),
        ("### Forced conclusion", "forced-conclusion.md.j2"),
    ];
    for (heading, template) in cases {
        assert_eq!(names(section(heading)), variables(template, &sample::all()), "{heading}");
    }
}

#[test]
fn the_example_on_the_page_works() {
    let (_, example) = PAGE.split_once("```jinja\n").unwrap();
    let (source, _) = example.split_once("```").unwrap();
    let (name, path) = ("investigation.md.j2".to_owned(), "prompts/investigation.md.j2".to_owned());
    let prompts = Prompts::with_overrides(&[Template { name, path, source: source.to_owned() }]).unwrap();
    let messages = prompts.opening(&super::bare(super::IterationStrategy::React, "{}")).unwrap().prompt;
    assert!(messages[0].content.starts_with("You are Agent"), "{}", messages[0].content);
    assert!(messages[1].content.starts_with("## The alert"), "{}", messages[1].content);
    assert!(messages[1].content.ends_with("while the problem lasts."), "{}", messages[1].content);
}
