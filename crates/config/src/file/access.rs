//! The `access` section of `system`: how callers are authenticated, and which role they have.
//!
//! API tokens are stored in the database, not in a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsy_domain::AccessRole;

use crate::Network;

/// Authentication of callers. If neither tokens nor a proxy are configured, every caller has all permissions and the
/// server accepts connections from its own machine only.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AccessConfig {
    /// Accepts API tokens created with `tarsy token create`, sent as `Authorization: Bearer`.
    pub tokens: bool,
    /// Trusts the user headers of an authenticating proxy, such as oauth2-proxy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<AccessProxy>,
}

/// An authenticating proxy whose headers are trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccessProxy {
    /// IP addresses and networks of the proxy. Its headers are ignored on connections from any other address.
    #[schemars(length(min = 1))]
    pub addresses: Vec<Network>,
    /// Header with the user name. The proxy must overwrite any value that the client sent.
    #[serde(default = "user_header")]
    #[schemars(length(min = 1))]
    pub user_header: String,
    /// Header with the user's e-mail address. If present, it is displayed instead of the user name.
    #[serde(default = "email_header")]
    #[schemars(length(min = 1))]
    pub email_header: String,
    /// Header with the user's groups, separated by commas.
    #[serde(default = "groups_header")]
    #[schemars(length(min = 1))]
    pub groups_header: String,
    /// Groups of each role. A user in several groups has the role with the most permissions.
    #[serde(default)]
    pub roles: RoleGroups,
    /// Role of users in none of these groups. Default: no role, so they are rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_role: Option<AccessRole>,
}

/// The groups of each role.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RoleGroups {
    /// Groups with all permissions.
    #[schemars(inner(length(min = 1)))]
    pub admin: Vec<String>,
    /// Groups that can also submit alerts, cancel sessions and chat.
    #[schemars(inner(length(min = 1)))]
    pub operator: Vec<String>,
    /// Groups that can read everything.
    #[schemars(inner(length(min = 1)))]
    pub viewer: Vec<String>,
}

impl AccessConfig {
    /// Returns whether callers are authenticated.
    pub fn is_guarded(&self) -> bool {
        self.tokens || self.proxy.is_some()
    }
}

impl RoleGroups {
    /// Returns each role with its groups, starting with the role that has the most permissions.
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
