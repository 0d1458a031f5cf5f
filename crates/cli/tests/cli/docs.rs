//! Runs every command of README.md and docs/ in an empty directory, as a reader would.
//!
//! A page is executed from top to bottom. `page` defines what each kind of block means; `substitutes` provides the models,
//! databases and ports that a reader has.

mod command;
mod inline;
mod links;
mod markdown;
mod page;
mod repository;
mod sandbox;
mod server;
mod shell;
mod substitutes;
mod unrunnable;

use markdown::Markdown;

/// Declares a test for each page.
macro_rules! pages {
    ($($name:ident: $path:literal,)+) => {
        const PAGES: &[&str] = &[$($path),+];

        $(
            #[test]
            fn $name() {
                let text = repository::read($path);
                page::run($path, &text).unwrap_or_else(|error| panic!("{error}"));
            }
        )+
    };
}

pages! {
    readme: "README.md",
    access: "docs/access.md",
    agents_and_chains: "docs/agents-and-chains.md",
    alerts: "docs/alerts.md",
    api: "docs/api.md",
    cassettes: "docs/cassettes.md",
    coming_from_tarsy: "docs/coming-from-tarsy.md",
    command_line: "docs/command-line.md",
    demo: "docs/demo.md",
    deploying: "docs/deploying.md",
    operations: "docs/operations.md",
    postgresql: "docs/postgresql.md",
    prompts: "docs/prompts.md",
    providers: "docs/providers.md",
    quick_start: "docs/quick-start.md",
    tools: "docs/tools.md",
}

#[test]
fn every_page_with_commands_is_tested() {
    for path in repository::pages() {
        let blocks = Markdown::read(&repository::read(&path)).blocks;
        let has_commands = blocks.iter().any(|block| page::LANGUAGES.contains(&block.language.as_str()));
        assert!(
            !has_commands || PAGES.contains(&path.as_str()),
            "{path} has no test here: add it to `pages!`"
        );
    }
}

#[test]
fn every_link_resolves() {
    let broken: Vec<String> = repository::markdown().iter().flat_map(|path| links::broken(path)).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn inline_commands_are_valid() {
    let invalid: Vec<String> =
        repository::pages().iter().flat_map(|path| inline::invalid_commands(path)).collect();
    assert!(invalid.is_empty(), "{}", invalid.join("\n"));
}
