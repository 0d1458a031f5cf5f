//! Which version this is, as the program tells it wherever it is asked: `build.rs` finds it.

/// The version of the package, and the commit it was built from where that is known.
pub(crate) const VERSION: &str = env!("TARSY_VERSION");
