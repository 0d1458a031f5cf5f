/** The bar of a call on the shared time axis: start and duration. */
import Box from '@mui/material/Box';
import type { TraceRow } from './model';

/** Failed calls are red; model and tool calls have different colors. */
function colorOf(row: TraceRow): string {
  if (row.look.tone === 'bad') return 'error.main';
  return row.type === 'llm' ? 'primary.main' : 'secondary.main';
}

export function Bar({ row }: { row: TraceRow }) {
  return (
    <Box
      aria-hidden
      sx={{ position: 'relative', height: 8, borderRadius: 1, bgcolor: 'action.hover', overflow: 'hidden' }}
      title={`${row.offset}, ${row.duration}`}
    >
      <Box
        sx={{ position: 'absolute', insetBlock: 0, minWidth: 3, borderRadius: 1, bgcolor: colorOf(row) }}
        style={{ left: `${Math.min(row.bar.from * 100, 99)}%`, width: `${row.bar.length * 100}%` }}
      />
    </Box>
  );
}
