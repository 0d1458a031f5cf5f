//! To be written.

use super::{Decode, Progress, Wire};
use crate::http::{Event, HttpFailure, HttpRequest};
use crate::{Chunk, ModelError, ModelRequest, Settings};

/// The wire format.
pub(crate) struct Chat;

impl Chat {
    pub(crate) fn new() -> Self {
        Self
    }
}

impl Wire for Chat {
    const NAME: &'static str = "chat";
    type Decoder = Decoder;

    fn encode(&self, _: &Settings, _: &ModelRequest) -> Result<(HttpRequest, Decoder), ModelError> {
        Err(crate::error::provider_bug("not written yet"))
    }

    fn refusal(failure: &HttpFailure) -> ModelError {
        super::refusal::read_refusal(failure)
    }
}

pub(crate) struct Decoder;

impl Decode for Decoder {
    fn event(&mut self, _: &Event, _: &mut Vec<Chunk>) -> Result<Progress, ModelError> {
        Ok(Progress::More)
    }

    fn end(&mut self, _: &mut Vec<Chunk>) -> Result<(), ModelError> {
        Ok(())
    }
}
