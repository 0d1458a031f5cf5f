/** Styles of Markdown text: dense, and never wider than its container. */
import type { SxProps, Theme } from '@mui/material/styles';
import { monospace } from './monospace';

export const markdownStyle: SxProps<Theme> = {
  lineHeight: 1.6,
  overflowWrap: 'anywhere',
  // A right-to-left mark affects only its own paragraph.
  '& p, & li, & td, & th, & h3, & h4, & h5, & h6': { unicodeBidi: 'plaintext' },
  '& a, & code, & em, & strong, & del': { unicodeBidi: 'isolate' },
  '& > :first-of-type': { mt: 0 },
  '& > :last-child': { mb: 0 },
  '& p, & ul, & ol, & blockquote, & table, & pre': { mt: 0, mb: 1.25 },
  '& h3, & h4, & h5, & h6': { mt: 2, mb: 0.75, lineHeight: 1.3, fontWeight: 650 },
  '& h3': { fontSize: '1.1rem' },
  '& h4': { fontSize: '1rem' },
  '& h5, & h6': { fontSize: '0.93rem' },
  '& ul, & ol': { pl: 3 },
  '& li > p': { mb: 0.5 },
  '& a': { color: 'primary.main', textUnderlineOffset: '2px' },
  '& blockquote': { mx: 0, pl: 1.5, borderLeft: 3, borderColor: 'divider', color: 'text.secondary' },
  '& code': {
    ...monospace,
    px: 0.5,
    py: 0.125,
    borderRadius: 0.5,
    bgcolor: 'action.hover',
    overflowWrap: 'anywhere',
  },
  '& pre': {
    ...monospace,
    p: 1.25,
    pr: 9,
    overflow: 'auto',
    maxHeight: '30rem',
    border: 1,
    borderColor: 'divider',
    borderRadius: 1,
    bgcolor: 'action.hover',
  },
  '& pre code': { p: 0, bgcolor: 'transparent', fontSize: 'inherit', overflowWrap: 'normal' },
  '& table': { borderCollapse: 'collapse', fontVariantNumeric: 'tabular-nums' },
  '& th, & td': {
    px: 1,
    py: 0.5,
    border: 1,
    borderColor: 'divider',
    textAlign: 'left',
    verticalAlign: 'top',
    // A wide table scrolls; its words are not broken.
    overflowWrap: 'break-word',
    maxWidth: '60ch',
  },
  '& th': { bgcolor: 'action.hover', fontWeight: 600 },
  '& hr': { border: 0, borderTop: 1, borderColor: 'divider', my: 2 },
};
