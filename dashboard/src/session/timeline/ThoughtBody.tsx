/** A thought: its first words, and all of it on request. Thoughts are long, and rarely what one reads first. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { Markdown } from '../../ui/Markdown';
import { firstWords } from './thought';

export interface ThoughtBodyProps {
  text: string;
  /** The reader was led here. */
  mustBeOpen: boolean;
}

export function ThoughtBody({ text, mustBeOpen }: ThoughtBodyProps) {
  const [isOpen, setIsOpen] = useState(false);
  const head = firstWords(text);
  const isShown = isOpen || mustBeOpen || head === null;
  return (
    <Box sx={{ color: 'text.secondary', maxWidth: '100ch' }}>
      {isShown ? <Markdown text={text} /> : <Box sx={{ unicodeBidi: 'plaintext' }}>{head} …</Box>}
      {head !== null && !mustBeOpen && (
        <Button
          variant="text"
          aria-expanded={isShown}
          onClick={() => setIsOpen(!isOpen)}
          sx={{ px: 0.5, py: 0 }}
        >
          {isOpen ? 'Show less' : 'Show the whole thought'}
        </Button>
      )}
    </Box>
  );
}
