//! Tests of authentication and authorization.

mod app;

mod assets;
mod browsers;
mod proxies;
mod roles;
mod sign_in;
mod tokens;
