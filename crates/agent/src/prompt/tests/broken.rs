//! Invalid templates, each with its exact errors.

use super::super::*;

fn template(name: &str, source: &str) -> Template {
    Template { name: name.to_owned(), path: format!("prompts/{name}"), source: source.to_owned() }
}

fn errors(overrides: &[Template]) -> String {
    match Prompts::with_overrides(overrides) {
        Ok(_) => panic!("{overrides:?} is valid"),
        Err(errors) => errors.to_string(),
    }
}

/// Returns a template for an investigation with this task.
fn investigation(task: &str) -> String {
    format!("{{% block system %}}You help.{{% endblock %}}\n{{% block user %}}\n{task}\n{{% endblock %}}\n")
}

#[test]
fn every_invalid_template_has_its_exact_errors() {
    let cases = [
        ("syntax_error", investigation("Now: {{ alert.type }")),
        ("unclosed_block", "{% block system %}a{% endblock %}{% block user %}b".to_owned()),
        ("unknown_variable", investigation("Look at {{ alrt.block }}.")),
        ("unknown_field", investigation("Look at {{ alert.blok }}.")),
        ("unknown_field_in_loop", investigation("{% for tool in tools %}\n  - {{ tool.nme }}\n{% endfor %}")),
        (
            "unknown_variable_that_no_sample_reaches",
            investigation("{% if alert.type == 'x' %}{{ unknown }}{% endif %}"),
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
        ("long_line", investigation(&format!("{} {{{{ unknown }}}} {}", "a ".repeat(200), "b ".repeat(200)))),
    ];
    for (name, source) in cases {
        insta::assert_snapshot!(format!("wrong_{name}"), errors(&[template("investigation.md.j2", &source)]));
    }
}

#[test]
fn an_unknown_name_is_reported_with_the_known_ones() {
    let misnamed =
        ["investigations.md.j2", "alert.md.j2", "builtin/chat.md.j2"].map(|name| template(name, "a\nb"));
    insta::assert_snapshot!(errors(&misnamed));
}

#[test]
fn all_errors_of_all_templates_are_reported_together() {
    let wrong = [
        template(
            "stage.md.j2",
            "{% block system %}{{ agnt }}{% endblock %}\n{% block user %}{{ tols }}{% endblock %}",
        ),
        template("parts/alert.md.j2", "{{ alert.block"),
        template("forced-conclusion.md.j2", "{% block user %}{{ max }}{% endblock %}"),
    ];
    insta::assert_snapshot!(errors(&wrong));
}

#[test]
fn an_error_in_a_part_is_reported_in_the_part() {
    insta::assert_snapshot!(errors(&[template("parts/runbook.md.j2", "a\n  {{ runbook.text }}")]));
}

#[test]
fn an_override_can_extend_the_built_in_template() {
    let source =
        "{% extends 'builtin/forced-conclusion.md.j2' %}\n{% block user %}{{ super() }}\nNow.{% endblock %}";
    let prompts = Prompts::with_overrides(&[template("forced-conclusion.md.j2", source)]).unwrap();
    let conclusion = prompts.forced_conclusion(LoopKind::SingleShot, 3).unwrap().prompt;
    assert!(
        conclusion.starts_with("You cannot call tools") && conclusion.ends_with("\nNow."),
        "{conclusion}"
    );
    assert_eq!(prompts.overridden().collect::<Vec<_>>(), ["forced-conclusion.md.j2"]);
}

#[test]
fn errors_that_depend_on_tools_or_servers_are_found_in_advance() {
    let each = |inner: &str| {
        format!("{{% for t in tools %}}{{% for p in t.parameters %}}{inner}{{% endfor %}}{{% endfor %}}")
    };
    let cases = [
        ("parts/tools.md.j2", each("{{ p.choices[0] }}")),
        ("parts/tools.md.j2", each("{{ p.choices | first }}")),
        ("parts/tools.md.j2", each("{% if not p.required %}{{ p.descripton }}{% endif %}")),
        ("parts/tools.md.j2", each("{% if p.depth > 0 %}{{ p.descripton }}{% endif %}")),
        ("parts/tools.md.j2", "{% for t in tools %}{{ t.parameters[0].name }}{% endfor %}".to_owned()),
        ("parts/tools.md.j2", "{% for t in tools if t.left_out %}{{ t.nme }}{% endfor %}".to_owned()),
        ("parts/tools.md.j2", "{{ tools[1].name }}".to_owned()),
        ("parts/tools.md.j2", "{{ more_tools.count }}".to_owned()),
        ("parts/loop.md.j2", "{% if tools %}{{ servers[0].name }}{% endif %}".to_owned()),
        (
            "parts/loop.md.j2",
            "{% if tools and not servers %}{% include 'parts/nope.md.j2' %}{% endif %}".to_owned(),
        ),
        ("parts/loop.md.j2", "{% if tools and not servers %}{{ tools | uper }}{% endif %}".to_owned()),
        ("parts/loop.md.j2", "{% if runbook and not tools %}{{ earlier.text }}{% endif %}".to_owned()),
        ("parts/loop.md.j2", "{% if alert.type == 'x' %}{{ tools | uper }}{% endif %}".to_owned()),
        ("parts/loop.md.j2", "{% if alert.type == 'x' and tools is defind %}a{% endif %}".to_owned()),
        (
            "parts/loop.md.j2",
            "{% if alert.type == 'x' %}{% include 'parts/nope.md.j2' %}{% endif %}".to_owned(),
        ),
    ];
    let found = cases.map(|(name, source)| {
        let errors = Prompts::with_overrides(&[template(name, &source)]).map(|_| ());
        let first = errors.err().map(|errors| errors.iter().next().unwrap().message.clone());
        format!("{source}\n    {}", first.unwrap_or_else(|| "NOT FOUND".to_owned()))
    });
    insta::assert_snapshot!(found.join("\n"));
}

#[test]
fn falls_back_to_the_built_in_templates_if_an_override_fails_to_render() {
    let source = "{% if alert.type == 'DiskFull' %}{{ servers[5].name }}{% endif %}Type: {{ alert.type }}";
    let prompts = Prompts::with_overrides(&[template("parts/alert.md.j2", source)]).unwrap();
    let opening = |prompts: &Prompts, alert_type| {
        let input = super::bare(super::IterationStrategy::React, "{}");
        prompts.opening(&PromptInput { alert: PromptAlert { alert_type, data: "{}" }, ..input }).unwrap()
    };
    let replaced = opening(&prompts, "PodFailure");
    assert!(replaced.prompt[1].content.starts_with("Type: PodFailure"), "{}", replaced.prompt[1].content);
    assert_eq!(replaced.warning, None);

    let Rendered { prompt, warning } = opening(&prompts, "DiskFull");
    assert_eq!(prompt, opening(&Prompts::builtin(), "DiskFull").prompt);
    let error = warning.unwrap();
    assert_eq!((error.path.as_str(), error.line), ("prompts/parts/alert.md.j2", 1));
    assert_eq!(error.message, "`servers[5]` is undefined");
}
