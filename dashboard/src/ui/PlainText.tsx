/**
 * A text as it is, of any length. A short one is drawn whole; a long one shows its beginning, and all of it on request in a
 * box that only ever draws the lines in view.
 */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { LineView } from './LineView';
import { monospace } from './monospace';
import { headOf, sizeText } from './text';

export interface PlainTextProps {
  text: string;
  /** A place that the reader looks for; it is shown even if it is far inside. */
  reveal?: number | null;
}

export function PlainText({ text, reveal = null }: PlainTextProps) {
  const [isOpen, setIsOpen] = useState(false);
  const head = headOf(text);
  if (head === null) return <Lines text={text} />;
  const isShown = isOpen || (reveal !== null && reveal >= head.length);
  return (
    <Box>
      {/* Another place to reveal is another view, which begins there. */}
      {isShown ? <LineView key={reveal} text={text} reveal={reveal} /> : <Lines text={`${head} …`} />}
      <Button
        variant="text"
        aria-expanded={isShown}
        onClick={() => setIsOpen(!isShown)}
        sx={{ mt: 0.5, py: 0 }}
      >
        {isShown ? 'Show less' : `Show more (${sizeText(text)})`}
      </Button>
    </Box>
  );
}

function Lines({ text }: { text: string }) {
  return (
    <Box
      component="pre"
      sx={{ ...monospace, m: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', unicodeBidi: 'plaintext' }}
    >
      {text}
    </Box>
  );
}
