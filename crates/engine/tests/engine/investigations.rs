//! Whole investigations, on both databases.

mod chains;
mod chat;
mod lab;
mod limits;
mod live;
mod masking;
mod results;
mod resume;
mod runbooks;
mod stops;
