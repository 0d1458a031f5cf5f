/** The timeline as a virtual list: only visible rows are rendered. */
import Box from '@mui/material/Box';
import { memo } from 'react';
import type { ChosenRow } from './RowView';
import { RowView } from './RowView';
import type { TimelineRow } from './row';
import type { TimelineList } from './useTimelineList';

export interface TimelineProps {
  rows: readonly TimelineRow[];
  list: TimelineList;
  /** The row that a link or a search leads to. */
  chosen: ChosenRow | null;
  onOpenTab: (section: string, executionId: string) => void;
}

export function Timeline({ rows, list, chosen, onOpenTab }: TimelineProps) {
  const { virtual, listRef } = list;
  return (
    <Box
      ref={listRef}
      role="group"
      aria-label="Entries"
      sx={{ position: 'relative', height: virtual.getTotalSize(), overflowAnchor: 'none' }}
    >
      {virtual.getVirtualItems().map(({ index, start }) => {
        const row = rows[index];
        if (!row) return null;
        return (
          <Box
            key={row.key}
            ref={virtual.measureElement}
            data-index={index}
            sx={{ position: 'absolute', top: 0, left: 0, width: '100%' }}
            style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
          >
            <DrawnRow row={row} chosen={chosen?.key === row.key ? chosen : null} onOpenTab={onOpenTab} />
          </Box>
        );
      })}
    </Box>
  );
}

const DrawnRow = memo(RowView);
