//! The `access` section of `system`: who may come in, and how they are known.
//!
//! Tokens themselves are in the database, not in a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsy_domain::AccessRole;

use crate::Network;

/// Who may come in. Without any of it everybody who reaches the server may do everything, and the server only listens to
/// the machine it runs on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AccessConfig {
    /// Whether tokens that `tarsy token create` made open the door, shown as `Authorization: Bearer`.
    pub tokens: bool,
    /// A proxy in front that knows who people are, such as oauth2-proxy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<AccessProxy>,
}

/// A proxy whose headers are believed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccessProxy {
    /// Addresses and networks that the proxy connects from. From anywhere else its headers mean nothing.
    #[schemars(length(min = 1))]
    pub addresses: Vec<Network>,
    /// The header that holds the name of the user. The proxy must replace what clients send in it.
    #[serde(default = "user_header")]
    #[schemars(length(min = 1))]
    pub user_header: String,
    /// The header that holds the user's e-mail address, which is the name to show if it is there.
    #[serde(default = "email_header")]
    #[schemars(length(min = 1))]
    pub email_header: String,
    /// The header that holds the user's groups, with commas between them.
    #[serde(default = "groups_header")]
    #[schemars(length(min = 1))]
    pub groups_header: String,
    /// Which groups have which role. Of several roles a user has the one that may do most.
    #[serde(default)]
    pub roles: RoleGroups,
    /// The role of users who are in none of these groups. Without it they have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_role: Option<AccessRole>,
}

/// The groups that have a role.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RoleGroups {
    /// Groups that may do everything.
    #[schemars(inner(length(min = 1)))]
    pub admin: Vec<String>,
    /// Groups that may submit alerts, cancel and chat.
    #[schemars(inner(length(min = 1)))]
    pub operator: Vec<String>,
    /// Groups that may look.
    #[schemars(inner(length(min = 1)))]
    pub viewer: Vec<String>,
}

impl AccessConfig {
    /// Whether anybody is asked who they are.
    pub fn is_guarded(&self) -> bool {
        self.tokens || self.proxy.is_some()
    }
}

impl RoleGroups {
    /// Each role with its groups, from the one that may do most.
    pub fn by_role(&self) -> [(AccessRole, &[String]); 3] {
        [
            (AccessRole::Admin, &self.admin),
            (AccessRole::Operator, &self.operator),
            (AccessRole::Viewer, &self.viewer),
        ]
    }
}

fn user_header() -> String {
    "X-Forwarded-User".to_owned()
}

fn email_header() -> String {
    "X-Forwarded-Email".to_owned()
}

fn groups_header() -> String {
    "X-Forwarded-Groups".to_owned()
}
