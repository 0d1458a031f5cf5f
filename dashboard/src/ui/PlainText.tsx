/**
 * Plain text of any length. Short text is shown whole. Long text is collapsed to its beginning; expanded,
 * only the visible lines are rendered.
 */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { LineView } from './LineView';
import { monospace } from './monospace';
import { previewOf, sizeText } from './text';

export interface PlainTextProps {
  text: string;
  /** Offset of a search match; the text is expanded if the match is not in the preview. */
  reveal?: number | null;
  /** `code` for aligned columns, `prose` for sentences. */
  face?: 'code' | 'prose';
}

export function PlainText({ text, reveal = null, face = 'code' }: PlainTextProps) {
  const [isOpen, setIsOpen] = useState(false);
  const head = previewOf(text);
  if (head === null) return <Lines text={text} face={face} />;
  const isShown = isOpen || (reveal !== null && reveal >= head.length);
  return (
    <Box>
      {/* A new offset creates a new view that starts there. */}
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
