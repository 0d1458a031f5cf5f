//! Authentication by a proxy in front of the server, such as oauth2-proxy, that names the user in headers.
//!
//! Any client can send these headers, so they are trusted only if they come from the proxy's address. The
//! proxy must replace headers that clients send; a repeated header was not replaced, and the request is
//! rejected.

use std::net::IpAddr;

use axum::http::HeaderMap;
use tarsy_config::Network;
use tarsy_config::file::AccessProxy;
use tarsy_domain::AccessRole;

use crate::ApiError;

/// Maximum length of a user name in bytes. Names are displayed and stored.
const MAX_NAME_BYTES: usize = 256;

/// A proxy whose headers are trusted.
#[derive(Debug, Clone)]
pub(super) struct TrustedProxy(AccessProxy);

/// A user that the proxy authenticated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProxyUser {
    pub(super) name: String,
    pub(super) role: AccessRole,
}

impl TrustedProxy {
    pub(super) fn new(proxy: &AccessProxy) -> Self {
        Self(proxy.clone())
    }

    /// Returns the user of a request; None if it does not come from the proxy or names no user.
    pub(super) fn user(&self, peer: IpAddr, headers: &HeaderMap) -> Result<Option<ProxyUser>, ApiError> {
        if !self.0.addresses.iter().any(|network: &Network| network.contains(peer)) {
            return Ok(None);
        }
        let user = single_value(headers, &self.0.user_header)?;
        let email = single_value(headers, &self.0.email_header)?;
        let Some(name) = email.or(user) else { return Ok(None) };
        if name.len() > MAX_NAME_BYTES {
            let problem = format!("the user name that the proxy sent is longer than {MAX_NAME_BYTES} bytes");
            return Err(ApiError::Unauthenticated(problem));
        }
        let groups = single_value(headers, &self.0.groups_header)?.unwrap_or_default();
        let role = self.role(groups).ok_or_else(|| ApiError::NoRole { name: name.to_owned() })?;
        Ok(Some(ProxyUser { name: name.to_owned(), role }))
    }

    /// Returns the highest role that one of the groups has.
    fn role(&self, groups: &str) -> Option<AccessRole> {
        let is_in = |listed: &[String]| {
            groups.split(',').any(|group| listed.iter().any(|listed| listed == group.trim()))
        };
        let mut roles = self.0.roles.by_role().into_iter();
        roles.find(|(_, listed)| is_in(listed)).map(|(role, _)| role).or(self.0.default_role)
    }
}

fn single_value<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, ApiError> {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return match headers.contains_key(name) {
            true => Err(repeated_header(name)),
            false => Ok(None),
        };
    };
    let text = std::str::from_utf8(value.as_bytes()).map_err(|_| {
        ApiError::Unauthenticated(format!("the header `{name}` that the proxy sent is not UTF-8"))
    })?;
    Ok(Some(text.trim()).filter(|text| !text.is_empty()))
}

fn repeated_header(name: &str) -> ApiError {
    let problem = format!("the header `{name}` occurs more than once; configure the proxy to replace it");
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

    fn user(peer: &str, pairs: &[(&'static str, &'static str)]) -> Result<Option<ProxyUser>, String> {
        let user = proxy(None).user(peer.parse().unwrap(), &headers(pairs));
        user.map_err(|error| error.to_string())
    }

    #[test]
    fn a_user_has_the_highest_role_of_their_groups() {
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
    fn trusts_headers_only_from_the_proxy() {
        let sent = [("x-forwarded-user", "ann"), ("x-forwarded-groups", "sre")];
        let ann = ProxyUser { name: "ann".to_owned(), role: AccessRole::Admin };
        assert_eq!(user("10.1.2.3", &sent), Ok(Some(ann)));
        assert_eq!(user("192.0.2.1", &sent), Ok(None));
        assert_eq!(user("127.0.0.1", &sent), Ok(None));
    }

    #[test]
    fn prefers_the_email_address_as_the_name() {
        let mail = ("x-forwarded-email", "ann@example.com");
        let groups = ("x-forwarded-groups", "staff");
        let named = user("10.1.2.3", &[("x-forwarded-user", "7f3a"), mail, groups]).unwrap().unwrap();
        assert_eq!(named.name, "ann@example.com");
        assert_eq!(user("10.1.2.3", &[groups]), Ok(None));
        assert_eq!(user("10.1.2.3", &[("x-forwarded-user", " "), groups]), Ok(None));
    }

    #[test]
    fn rejects_repeated_headers() {
        let sent =
            [("x-forwarded-user", "ann"), ("x-forwarded-groups", "sre"), ("x-forwarded-groups", "staff")];
        let error = user("10.1.2.3", &sent).unwrap_err();
        assert!(error.starts_with("the header `X-Forwarded-Groups` occurs more than once"), "{error}");
    }

    #[test]
    fn rejects_a_user_without_a_role() {
        let error = user("10.1.2.3", &[("x-forwarded-user", "ann")]).unwrap_err();
        assert!(error.contains("ann"), "{error}");
    }
}
