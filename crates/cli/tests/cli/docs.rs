//! Every command of README.md and docs/ is run with the real binary, as by a reader who begins with an empty directory.
//!
//! A page is followed from top to bottom. What each kind of block means is in `page`; what stands in for models and databases
//! that a reader has and a test has not is in `stand_ins`.

mod command;
mod console;
mod links;
mod markdown;
mod page;
mod prose;
mod repository;
mod sandbox;
mod server;
mod shell;
mod stand_ins;

use markdown::Markdown;

/// Declares a test for each page.
macro_rules! pages {
    ($($name:ident: $path:literal,)+) => {
        const PAGES: &[&str] = &[$($path),+];

        $(
            #[test]
            fn $name() {
                let text = repository::read($path);
                page::follow($path, &text).unwrap_or_else(|failure| panic!("{failure}"));
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
fn every_page_with_something_to_follow_is_followed() {
    for path in repository::pages() {
        let blocks = Markdown::read(&repository::read(&path)).blocks;
        let says_something = blocks.iter().any(|block| page::LANGUAGES.contains(&block.language.as_str()));
        assert!(
            !says_something || PAGES.contains(&path.as_str()),
            "{path} has no test here: add it to `pages!`"
        );
    }
}

#[test]
fn every_link_leads_somewhere() {
    let broken: Vec<String> = repository::markdown().iter().flat_map(|path| links::broken(path)).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn commands_in_the_prose_are_understood() {
    let wrong: Vec<String> = repository::pages().iter().flat_map(|path| prose::misunderstood(path)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
