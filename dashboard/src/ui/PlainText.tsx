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
  /** Whether columns matter in it, or it is made of sentences. */
  face?: 'code' | 'prose';
}

export function PlainText({ text, reveal = null, face = 'code' }: PlainTextProps) {
  const [isOpen, setIsOpen] = useState(false);
  const head = headOf(text);
  if (head === null) return <Lines text={text} face={face} />;
  const isShown = isOpen || (reveal !== null && reveal >= head.length);
  return (
    <Box>
      {/* Another place to reveal is another view, which begins there. */}
      {isShown ? (
        <LineView key={reveal} text={text} reveal={reveal} />
      ) : (
        <Lines text={`${head} …`} face={face} />
      )}
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

function Lines({ text, face }: { text: string; face: 'code' | 'prose' }) {
  return (
    <Box component="pre" sx={{ ...lines, ...(face === 'code' ? monospace : prose) }}>
      {text}
    </Box>
  );
}

const lines = { m: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', unicodeBidi: 'plaintext' };
const prose = { font: 'inherit', lineHeight: 1.6 };
