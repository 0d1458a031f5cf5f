//! `/api/v1/me`, `/api/v1/sign-in` and `/api/v1/sign-out`: the caller, and sign-in for browsers.

use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use tarsy_domain::AccessRole;
use utoipa::ToSchema;

use crate::access::{Principal, clear_cookie};
use crate::error::ErrorResponse;
use crate::extract::JsonBody;
use crate::{ApiError, App};

/// The authenticated caller.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MeResponse {
    /// Name of the caller; null if authentication is disabled.
    name: Option<String>,
    /// Role of the caller: `viewer`, `operator` or `admin`.
    #[schema(value_type = String, example = "operator")]
    role: AccessRole,
    /// Whether the caller is a browser that signed in with a token, and can sign out.
    signed_in: bool,
}

/// A token to sign in with.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SignInRequest {
    /// The token that `tarsy token create` printed.
    token: String,
}

impl From<Principal> for MeResponse {
    fn from(principal: Principal) -> Self {
        Self { signed_in: principal.is_signed_in(), name: principal.name, role: principal.role }
    }
}

/// Returns the caller and its role.
#[utoipa::path(
    get, path = "/api/v1/me", tag = "access",
    responses((status = 200, description = "The caller.", body = MeResponse))
)]
pub(crate) async fn fetch_me(Extension(principal): Extension<Principal>) -> Json<MeResponse> {
    Json(principal.into())
}

/// Signs a browser in: stores a token in an `HttpOnly` cookie.
#[utoipa::path(
    post, path = "/api/v1/sign-in", tag = "access", request_body = SignInRequest,
    responses(
        (status = 200, description = "The token is valid and the cookie is set.", body = MeResponse),
        (status = 409, description = "Authentication is disabled.", body = ErrorResponse),
    )
)]
pub(crate) async fn sign_in(
    State(app): State<App>,
    request: Parts,
    JsonBody(SignInRequest { token }): JsonBody<SignInRequest>,
) -> Result<impl IntoResponse, ApiError> {
    let (principal, cookie) = app.access_control.sign_in(&request, token.trim()).await?;
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), Json(MeResponse::from(principal))))
}

/// Signs a browser out: deletes the cookie. The token itself remains valid.
#[utoipa::path(
    post, path = "/api/v1/sign-out", tag = "access",
    responses((status = 204, description = "The cookie is deleted."))
)]
pub(crate) async fn sign_out(headers: HeaderMap) -> impl IntoResponse {
    (StatusCode::NO_CONTENT, AppendHeaders([(header::SET_COOKIE, clear_cookie(&headers))]))
}
