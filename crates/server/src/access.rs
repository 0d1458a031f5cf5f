//! Who may come in, and what they may do.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::ApiError;

/// What somebody may do; each may also do what those before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Reads everything.
    Viewer,
    /// Submits alerts, cancels, chats.
    Operator,
    /// Deletes.
    Admin,
}

impl Role {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }
}

/// Somebody who came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// Who it is, if anything says so.
    pub name: Option<String>,
    /// What they may do.
    pub role: Role,
}

/// How people and programs come in.
#[derive(Debug)]
pub enum Access {
    /// Everybody who reaches the server may do everything. Only for an address that only this machine can reach.
    Open,
}

impl Access {
    /// Who sends this request.
    fn principal(&self, _request: &Request) -> Result<Principal, ApiError> {
        match self {
            Self::Open => Ok(Principal { name: None, role: Role::Admin }),
        }
    }
}

/// A door that only some may pass.
#[derive(Clone)]
pub(crate) struct Gate {
    pub(crate) access: Arc<Access>,
    /// The least role that may.
    pub(crate) role: Role,
}

/// Lets a request through if its sender may, and says who it is.
pub(crate) async fn admit(
    State(gate): State<Gate>,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let principal = gate.access.principal(&request)?;
    if principal.role < gate.role {
        return Err(ApiError::Forbidden { needed: gate.role });
    }
    request.extensions_mut().insert(principal);
    Ok(next.run(request).await)
}
