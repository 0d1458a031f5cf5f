/** A thought, collapsed to its beginning: thoughts are long and rarely read first. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { Markdown } from '../../ui/Markdown';
import { thoughtPreview } from './thoughtPreview';

export interface ThoughtBodyProps {
  text: string;
  /** Set if a link or a search leads here. */
  forceOpen: boolean;
}

export function ThoughtBody({ text, forceOpen }: ThoughtBodyProps) {
  const [isOpen, setIsOpen] = useState(false);
  const head = thoughtPreview(text);
  const isShown = isOpen || forceOpen || head === null;
  return (
    <Box sx={{ color: 'text.secondary', maxWidth: '100ch' }}>
      {isShown ? <Markdown text={text} /> : <Box sx={{ unicodeBidi: 'plaintext' }}>{head} …</Box>}
      {head !== null && !forceOpen && (
        <Button
          variant="text"
          aria-expanded={isShown}
          onClick={() => setIsOpen(!isOpen)}
          sx={{ px: 0.5, py: 0 }}
        >
          {isOpen ? 'Show less' : 'Show full thought'}
        </Button>
      )}
    </Box>
  );
}
