//! The version of the program, determined by `build.rs`.

/// The version of the package and, if known, the commit it was built from.
pub(crate) const VERSION: &str = env!("TARSY_VERSION");
