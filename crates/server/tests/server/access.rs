//! Who is let in, to what, and how it is known who they are: on a real store, asked as a client would ask.

mod app;

mod assets;
mod browsers;
mod proxies;
mod roles;
mod signing_in;
mod tokens;
