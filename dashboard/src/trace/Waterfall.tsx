/** The calls in the order of their start, each with its bar. Only visible rows are rendered. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { BoxLink } from '../ui/BoxLink';
import { Icon } from '../ui/Icon';
import { toneColors } from '../ui/tone';
import { useShortcuts } from '../ui/useShortcuts';
import { visuallyHidden } from '../ui/visuallyHidden';
import { Bar } from './Bar';
import type { TraceRow } from './model';
import { traceRoute } from './route';

const ROW_PX = 52;
const OVERSCAN = 10;

export interface WaterfallProps {
  rows: readonly TraceRow[];
  chosen: string | null;
}

export function Waterfall({ rows, chosen }: WaterfallProps) {
  const box = useRef<HTMLDivElement>(null);
  const navigate = traceRoute.useNavigate();
  const index = rows.findIndex((row) => row.id === chosen);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: OVERSCAN,
    // A link to a call scrolls to it.
    initialOffset: Math.max(0, index * ROW_PX - 3 * ROW_PX),
  });
  const go = (index: number): boolean => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (!row) return false;
    virtualizer.scrollToIndex(rows.indexOf(row));
    void navigate({ search: { call: row.id }, replace: true, resetScroll: false });
    return true;
  };
  useShortcuts((key) => {
    if (key === 'j') return go(index + 1);
    if (key === 'k') return go(index - 1);
    return false;
  });
  return (
    <Paper
      ref={box}
      variant="outlined"
      component="section"
      aria-label="Calls"
      tabIndex={-1}
      sx={{
        maxHeight: 'calc(100dvh - 190px)',
        minHeight: 240,
        overflow: 'auto',
        overscrollBehavior: 'contain',
      }}
    >
      <Box
        component="ol"
        sx={{ m: 0, p: 0, listStyle: 'none', position: 'relative', height: virtualizer.getTotalSize() }}
      >
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          return row ? (
            <Box
              component="li"
              key={key}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              sx={{ position: 'absolute', insetInline: 0, height: ROW_PX }}
              style={{ transform: `translateY(${start}px)` }}
            >
              <CallRow row={row} isChosen={row.id === chosen} />
            </Box>
          ) : null;
        })}
      </Box>
    </Paper>
  );
}

function CallRow({ row, isChosen }: { row: TraceRow; isChosen: boolean }) {
  return (
    <BoxLink
      to="."
      search={{ call: row.id }}
      resetScroll={false}
      aria-current={isChosen ? 'true' : undefined}
      title={row.error ?? undefined}
      sx={rowStyle}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.75, minWidth: 0 }}>
        <Box component="span" sx={{ display: 'inline-flex', color: toneColors[row.look.tone] }}>
          <Icon name={row.look.mark} size={14} />
        </Box>
        <Box component="span" sx={visuallyHidden}>
          {row.look.label}
        </Box>
        <Icon name={row.type === 'llm' ? 'speech' : 'tool'} size={13} />
        <Box component="span" sx={{ ...cut, fontWeight: 600, flexShrink: 1 }}>
          {row.name}
        </Box>
        <Box component="span" sx={{ ...cut, flex: 1, color: 'text.secondary', fontSize: 12 }}>
          {row.caller} · {row.purpose}
        </Box>
        {row.tokens && (
          <Box component="span" title={row.tokens.detail} sx={{ ...number, color: 'text.secondary' }}>
            {row.tokens.text}
          </Box>
        )}
        <Box component="span" sx={{ ...number, minWidth: '4.5em', textAlign: 'right' }}>
          {row.duration}
        </Box>
      </Box>
      <Bar row={row} />
    </BoxLink>
  );
}

const cut = { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap', minWidth: 0 } as const;
const number = { whiteSpace: 'nowrap', fontSize: 12, fontVariantNumeric: 'tabular-nums' } as const;

const rowStyle = {
  display: 'grid',
  gap: 0.75,
  alignContent: 'center',
  height: '100%',
  px: 1.5,
  fontSize: 13,
  color: 'inherit',
  textDecoration: 'none',
  borderBottom: 1,
  borderColor: 'divider',
  '&:hover': { bgcolor: 'action.hover' },
  '&[aria-current]': { bgcolor: 'action.selected' },
  '&:focus-visible': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: -2 },
};
