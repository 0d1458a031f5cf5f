//! Text functions that several crates share: search, similar names, token estimates, secrets, error chains.

pub(crate) mod causes;
pub(crate) mod search;
pub(crate) mod secret;
pub(crate) mod suggest;
pub(crate) mod token_estimate;
