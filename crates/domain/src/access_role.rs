//! What somebody who comes in may do.
//!
//! Which address takes which role is told by the server's router.

use crate::string_enum::string_enum;

string_enum! {
    /// What somebody may do; each may also do what those before it may.
    pub enum AccessRole {
        /// Reads everything.
        Viewer = "viewer",
        /// Submits alerts, cancels, chats.
        Operator = "operator",
        /// Deletes.
        Admin = "admin",
    }
}

#[cfg(test)]
mod tests {
    use super::AccessRole::{Admin, Operator, Viewer};

    #[test]
    fn a_later_role_may_do_more() {
        assert!(Viewer < Operator && Operator < Admin);
    }
}
