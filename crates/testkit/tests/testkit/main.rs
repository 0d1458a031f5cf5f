//! Rules about the repository: the dependencies of crates, and the language of comments, names and messages.

mod architecture;
mod language;
