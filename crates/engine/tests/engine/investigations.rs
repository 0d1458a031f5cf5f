//! Complete investigations, on both databases.

mod test_engine;

mod cancellation;
mod chains;
mod chat;
mod limits;
mod live;
mod masking;
mod results;
mod resume;
mod runbooks;
