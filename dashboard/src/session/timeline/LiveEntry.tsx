/**
 * A text while it is being streamed. It is plain text: parsing Markdown for every chunk would be too slow.
 */
import Box from '@mui/material/Box';
import { Icon } from '../../ui/Icon';
import type { LiveRow } from './row';

const titles: Record<LiveRow['part'], string> = { thinking: 'Thinking…', text: 'Writing…' };

/** The end of the text that fits on any screen; readers follow the end. */
const SHOWN_CHARACTERS = 6_000;

export function LiveEntry({ row }: { row: LiveRow }) {
  const isTruncated = row.isTruncated || row.text.length > SHOWN_CHARACTERS;
  return (
    <Box
      component="article"
      aria-label={titles[row.part]}
      aria-busy
      sx={{ display: 'grid', gridTemplateColumns: '28px minmax(0, 1fr)', gap: 1, p: 1 }}
    >
      <Box sx={{ display: 'flex', justifyContent: 'center', pt: '2px', color: 'info.main' }}>
        <Icon name="running" turns />
      </Box>
      <Box sx={{ minWidth: 0 }}>
        <Box sx={{ fontSize: 12, fontWeight: 650, color: 'info.main', mb: 0.25 }}>{titles[row.part]}</Box>
        <Box
          sx={{
            maxWidth: '100ch',
            whiteSpace: 'pre-wrap',
            overflowWrap: 'anywhere',
            unicodeBidi: 'plaintext',
            lineHeight: 1.6,
            color: row.part === 'thinking' ? 'text.secondary' : 'text.primary',
          }}
        >
          {isTruncated && '… '}
          {row.text.slice(-SHOWN_CHARACTERS)}
        </Box>
      </Box>
    </Box>
  );
}
