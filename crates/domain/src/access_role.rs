//! Access roles of callers.
//!
//! The server's router defines which route requires which role.

use crate::string_enum::string_enum;

string_enum! {
    /// A caller's role. Each role includes the permissions of the roles before it.
    pub enum AccessRole {
        /// May read everything.
        Viewer = "viewer",
        /// May also submit alerts, cancel sessions and chat.
        Operator = "operator",
        /// May also delete sessions.
        Admin = "admin",
    }
}

#[cfg(test)]
mod tests {
    use super::AccessRole::{Admin, Operator, Viewer};

    #[test]
    fn roles_are_ordered_by_permissions() {
        assert!(Viewer < Operator && Operator < Admin);
    }
}
