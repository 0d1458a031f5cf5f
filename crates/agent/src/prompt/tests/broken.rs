//! Templates that are wrong, each with its exact message.

use super::super::*;

fn template(name: &str, source: &str) -> Template {
    Template { name: name.to_owned(), path: format!("prompts/{name}"), source: source.to_owned() }
}

fn faults(overrides: &[Template]) -> String {
    match Prompts::with_overrides(overrides) {
        Ok(_) => panic!("{overrides:?} is not wrong"),
        Err(faults) => faults.to_string(),
    }
}

/// A template for an investigation with this as its task.
fn investigation(task: &str) -> String {
    format!("{{% block system %}}You help.{{% endblock %}}\n{{% block user %}}\n{task}\n{{% endblock %}}\n")
}

#[test]
fn every_wrong_template_gives_its_exact_faults() {
    let cases = [
        ("syntax_error", investigation("Now: {{ alert.type }")),
        ("unclosed_block", "{% block system %}a{% endblock %}{% block user %}b".to_owned()),
        ("unknown_variable", investigation("Look at {{ alrt.block }}.")),
        ("unknown_field", investigation("Look at {{ alert.blok }}.")),
        ("unknown_field_in_loop", investigation("{% for tool in tools %}\n  - {{ tool.nme }}\n{% endfor %}")),
        (
            "unknown_variable_where_no_sample_leads",
            investigation("{% if alert.type == 'x' %}{{ nobody }}{% endif %}"),
        ),
        ("missing_block", "{% block system %}a{% endblock %}".to_owned()),
        ("unknown_filter", investigation("{{ alert.type | shout }}")),
        ("unknown_function", investigation("{{ now() }}")),
        (
            "endless_loop",
            investigation("{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}"),
        ),
        ("endless_include", investigation("{% include 'investigation.md.j2' %}")),
        ("missing_part", investigation("{% include 'parts/alrt.md.j2' %}")),
        ("field_of_nothing", investigation("{{ chat.question }}")),
        ("long_line", investigation(&format!("{} {{{{ nobody }}}} {}", "a ".repeat(200), "b ".repeat(200)))),
    ];
    for (name, source) in cases {
        insta::assert_snapshot!(format!("wrong_{name}"), faults(&[template("investigation.md.j2", &source)]));
    }
}

#[test]
fn an_unknown_name_is_answered_with_the_known_ones() {
    let misnamed =
        ["investigations.md.j2", "alert.md.j2", "builtin/chat.md.j2"].map(|name| template(name, "a\nb"));
    insta::assert_snapshot!(faults(&misnamed));
}

#[test]
fn all_faults_of_all_templates_are_told_at_once() {
    let wrong = [
        template(
            "stage.md.j2",
            "{% block system %}{{ agnt }}{% endblock %}\n{% block user %}{{ tols }}{% endblock %}",
        ),
        template("parts/alert.md.j2", "{{ alert.block"),
        template("forced-conclusion.md.j2", "{% block user %}{{ max }}{% endblock %}"),
    ];
    insta::assert_snapshot!(faults(&wrong));
}

#[test]
fn a_fault_in_a_part_is_told_where_it_is() {
    insta::assert_snapshot!(faults(&[template("parts/runbook.md.j2", "a\n  {{ runbook.text }}")]));
}

#[test]
fn a_template_may_extend_the_one_it_replaces() {
    let source =
        "{% extends 'builtin/forced-conclusion.md.j2' %}\n{% block user %}{{ super() }}\nNow.{% endblock %}";
    let prompts = Prompts::with_overrides(&[template("forced-conclusion.md.j2", source)]).unwrap();
    let conclusion = prompts.forced_conclusion(LoopKind::SingleShot, 3).unwrap();
    assert!(
        conclusion.starts_with("You have used all 3 iterations") && conclusion.ends_with("\nNow."),
        "{conclusion}"
    );
    assert_eq!(prompts.overridden().collect::<Vec<_>>(), ["forced-conclusion.md.j2"]);
}
