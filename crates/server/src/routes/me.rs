//! `/api/v1/me`: who is asking; and signing in and out with a browser, which cannot show a token by itself.

use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use tarsy_domain::AccessRole;
use utoipa::ToSchema;

use crate::access::{Principal, forgetting_cookie};
use crate::error::ErrorResponse;
use crate::extract::JsonBody;
use crate::{ApiError, App};

/// Somebody, and what they may do.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MeResponse {
    /// Who it is; null where nobody is asked.
    name: Option<String>,
    #[schema(value_type = String, example = "operator")]
    role: AccessRole,
    /// Whether the browser keeps a token that it can forget.
    signed_in: bool,
}

/// A token, to be kept by the browser.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SignInRequest {
    /// What `tarsy token create` printed.
    token: String,
}

impl From<Principal> for MeResponse {
    fn from(principal: Principal) -> Self {
        Self { signed_in: principal.is_signed_in(), name: principal.name, role: principal.role }
    }
}

/// Tells who is asking and what they may do.
#[utoipa::path(
    get, path = "/api/v1/me", tag = "access",
    responses((status = 200, description = "Who is asking.", body = MeResponse))
)]
pub(crate) async fn fetch_me(Extension(principal): Extension<Principal>) -> Json<MeResponse> {
    Json(principal.into())
}

/// Lets the browser keep a token in a cookie that no script can read.
#[utoipa::path(
    post, path = "/api/v1/sign-in", tag = "access", request_body = SignInRequest,
    responses(
        (status = 200, description = "The token counts, and is kept.", body = MeResponse),
        (status = 409, description = "Nobody is asked who they are.", body = ErrorResponse),
    )
)]
pub(crate) async fn sign_in(
    State(app): State<App>,
    request: Parts,
    JsonBody(SignInRequest { token }): JsonBody<SignInRequest>,
) -> Result<impl IntoResponse, ApiError> {
    let (principal, cookie) = app.doorkeeper.sign_in(&request, token.trim()).await?;
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), Json(MeResponse::from(principal))))
}

/// Lets the browser forget the token that it keeps. The token itself still counts.
#[utoipa::path(
    post, path = "/api/v1/sign-out", tag = "access",
    responses((status = 204, description = "It is forgotten."))
)]
pub(crate) async fn sign_out(headers: HeaderMap) -> impl IntoResponse {
    (StatusCode::NO_CONTENT, AppendHeaders([(header::SET_COOKIE, forgetting_cookie(&headers))]))
}
