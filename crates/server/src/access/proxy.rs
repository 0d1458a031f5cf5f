//! A proxy in front, such as oauth2-proxy, that knows who people are and says so in headers.
//!
//! Anybody can send these headers, so they count only if they come from the proxy's address. It must replace what clients
//! send in them; a header that is there twice was not replaced and is not believed.

use std::net::IpAddr;

use axum::http::HeaderMap;
use tarsy_config::Network;
use tarsy_config::file::AccessProxy;
use tarsy_domain::AccessRole;

use crate::ApiError;

/// Names are shown and stored.
const LONGEST_NAME: usize = 256;

/// A proxy whose headers are believed.
#[derive(Debug, Clone)]
pub(super) struct TrustedProxy(AccessProxy);

/// Somebody whom the proxy let through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProxyUser {
    pub(super) name: String,
    pub(super) role: AccessRole,
}

impl TrustedProxy {
    pub(super) fn new(proxy: &AccessProxy) -> Self {
        Self(proxy.clone())
    }

    /// The user that a request is from; None if it is not from the proxy, or the proxy names nobody.
    pub(super) fn user(&self, peer: IpAddr, headers: &HeaderMap) -> Result<Option<ProxyUser>, ApiError> {
        if !self.0.addresses.iter().any(|network: &Network| network.contains(peer)) {
            return Ok(None);
        }
        let user = only_value(headers, &self.0.user_header)?;
        let email = only_value(headers, &self.0.email_header)?;
        let Some(name) = email.or(user) else { return Ok(None) };
        if name.len() > LONGEST_NAME {
            let problem = format!("the proxy says a name of more than {LONGEST_NAME} bytes");
            return Err(ApiError::Unauthenticated(problem));
        }
        let groups = only_value(headers, &self.0.groups_header)?.unwrap_or_default();
        let role = self.role(groups).ok_or_else(|| ApiError::NoRole { name: name.to_owned() })?;
        Ok(Some(ProxyUser { name: name.to_owned(), role }))
    }

    /// The role that may do most of those that the groups have.
    fn role(&self, groups: &str) -> Option<AccessRole> {
        let is_in = |listed: &[String]| {
            groups.split(',').any(|group| listed.iter().any(|listed| listed == group.trim()))
        };
        let mut roles = self.0.roles.by_role().into_iter();
        roles.find(|(_, listed)| is_in(listed)).map(|(role, _)| role).or(self.0.default_role)
    }
}

fn only_value<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, ApiError> {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return match headers.contains_key(name) {
            true => Err(not_replaced(name)),
            false => Ok(None),
        };
    };
    let text = std::str::from_utf8(value.as_bytes()).map_err(|_| {
        ApiError::Unauthenticated(format!(
            "`{name}`, which the proxy sends, holds something that is not UTF-8"
        ))
    })?;
    Ok(Some(text.trim()).filter(|text| !text.is_empty()))
}

fn not_replaced(name: &str) -> ApiError {
    let problem = format!("`{name}` is there more than once; the proxy must replace what clients send in it");
    ApiError::Unauthenticated(problem)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};
    use tarsy_config::file::RoleGroups;

    use super::*;

    fn proxy(default_role: Option<AccessRole>) -> TrustedProxy {
        TrustedProxy(AccessProxy {
            addresses: vec!["10.0.0.0/8".parse().unwrap()],
            user_header: "X-Forwarded-User".to_owned(),
            email_header: "X-Forwarded-Email".to_owned(),
            groups_header: "X-Forwarded-Groups".to_owned(),
            roles: RoleGroups {
                admin: vec!["sre".to_owned()],
                operator: vec!["on call".to_owned()],
                viewer: vec!["staff".to_owned()],
            },
            default_role,
        })
    }

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers
    }

    fn asked(peer: &str, pairs: &[(&'static str, &'static str)]) -> Result<Option<ProxyUser>, String> {
        let user = proxy(None).user(peer.parse().unwrap(), &headers(pairs));
        user.map_err(|error| error.to_string())
    }

    #[test]
    fn a_user_has_the_role_of_the_group_that_may_do_most() {
        let cases = [
            ("staff", Some(AccessRole::Viewer)),
            ("staff,on call", Some(AccessRole::Operator)),
            ("other, sre ,staff", Some(AccessRole::Admin)),
            ("SRE", None),
            ("sre staff", None),
            ("", None),
        ];
        for (groups, role) in cases {
            assert_eq!(proxy(None).role(groups), role, "{groups}");
        }
        assert_eq!(proxy(Some(AccessRole::Viewer)).role(""), Some(AccessRole::Viewer));
    }

    #[test]
    fn headers_count_only_if_they_come_from_the_proxy() {
        let sent = [("x-forwarded-user", "ann"), ("x-forwarded-groups", "sre")];
        let ann = ProxyUser { name: "ann".to_owned(), role: AccessRole::Admin };
        assert_eq!(asked("10.1.2.3", &sent), Ok(Some(ann)));
        assert_eq!(asked("192.0.2.1", &sent), Ok(None));
        assert_eq!(asked("127.0.0.1", &sent), Ok(None));
    }

    #[test]
    fn the_address_of_a_user_is_their_name_if_it_is_there() {
        let mail = ("x-forwarded-email", "ann@example.com");
        let groups = ("x-forwarded-groups", "staff");
        let named = asked("10.1.2.3", &[("x-forwarded-user", "7f3a"), mail, groups]).unwrap().unwrap();
        assert_eq!(named.name, "ann@example.com");
        assert_eq!(asked("10.1.2.3", &[groups]), Ok(None));
        assert_eq!(asked("10.1.2.3", &[("x-forwarded-user", " "), groups]), Ok(None));
    }

    #[test]
    fn a_header_that_was_not_replaced_is_not_believed() {
        let sent =
            [("x-forwarded-user", "ann"), ("x-forwarded-groups", "sre"), ("x-forwarded-groups", "staff")];
        let told = asked("10.1.2.3", &sent).unwrap_err();
        assert!(told.starts_with("`X-Forwarded-Groups` is there more than once"), "{told}");
    }

    #[test]
    fn a_user_of_no_group_is_told_so() {
        let told = asked("10.1.2.3", &[("x-forwarded-user", "ann")]).unwrap_err();
        assert!(told.contains("ann"), "{told}");
    }
}
