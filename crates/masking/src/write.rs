//! The new text: the old one with placeholders in place of spans.

use crate::ledger::Ledger;
use crate::masked::Masked;
use crate::scalar::Scalars;
use crate::span::{Span, Wrap};

/// Writes a text with its secrets replaced. The spans are in order and do not overlap.
pub(crate) fn write(text: &str, spans: &[Span], ledger: &mut Ledger) -> Result<Masked, &'static str> {
    let mut writer = Writer {
        text: text.as_bytes(),
        scalars: Scalars::new(text.as_bytes()),
        out: Vec::with_capacity(text.len()),
        done: 0,
        quoted_until: None,
    };
    let mut masked = Masked::default();
    for span in spans {
        let placeholder = ledger.placeholder(span.kind, writer.text.get(span.start..span.end).ok_or(LOST)?);
        *masked.counts.entry(span.kind.as_str().to_owned()).or_default() += 1;
        writer.replace(*span, placeholder.as_bytes())?;
    }
    writer.copy_to(text.len())?;
    masked.text = String::from_utf8(writer.out).map_err(|_| "a character was cut")?;
    Ok(masked)
}

const LOST: &str = "a place in the text was lost";

struct Writer<'t> {
    text: &'t [u8],
    scalars: Scalars<'t>,
    out: Vec<u8>,
    /// Up to where the text is written.
    done: usize,
    /// The end of the YAML scalar that is being put into quotation marks.
    quoted_until: Option<usize>,
}

impl Writer<'_> {
    fn replace(&mut self, span: Span, placeholder: &[u8]) -> Result<(), &'static str> {
        if span.wrap == Wrap::AsNeeded
            && self.quoted_until.is_none_or(|end| end <= span.start)
            && let Some((start, end)) = self.scalars.quoted(span)
            && start >= self.done
        {
            self.copy_to(start)?;
            self.out.push(b'\'');
            self.quoted_until = Some(end.max(span.end));
        }
        self.copy_to(span.start)?;
        self.quoted_until = self.quoted_until.map(|end| end.max(span.end));
        match span.wrap {
            Wrap::AsNeeded => self.out.extend(placeholder),
            Wrap::Yaml => {
                self.out.push(b'\'');
                self.out.extend(placeholder);
                self.out.push(b'\'');
            }
            Wrap::Json(quote) => {
                quote.write(&mut self.out);
                self.out.extend(placeholder);
                quote.write(&mut self.out);
            }
        }
        self.done = span.end;
        Ok(())
    }

    /// Copies the text up to a place, and closes the quotation marks of a scalar that ends on the way.
    fn copy_to(&mut self, to: usize) -> Result<(), &'static str> {
        if let Some(end) = self.quoted_until.filter(|end| *end <= to) {
            for byte in self.text.get(self.done..end).ok_or(LOST)? {
                self.push_quoted(*byte);
            }
            self.out.push(b'\'');
            self.quoted_until = None;
            self.done = end;
        }
        let piece = self.text.get(self.done..to).ok_or(LOST)?;
        if self.quoted_until.is_some() {
            piece.iter().for_each(|byte| self.push_quoted(*byte));
        } else {
            self.out.extend_from_slice(piece);
        }
        self.done = to;
        Ok(())
    }

    fn push_quoted(&mut self, byte: u8) {
        if byte == b'\'' {
            self.out.push(byte);
        }
        self.out.push(byte);
    }
}
