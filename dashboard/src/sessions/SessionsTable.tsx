/**
 * The table of sessions. Only visible rows are rendered; spacer rows above and below keep the scroll height.
 * Every row is a link, and one row has the keyboard focus.
 */
import Box from '@mui/material/Box';
import { useTheme } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { SessionSummary } from '../api/types';
import { useNow } from '../ui/useNow';
import { useOffsetTop } from '../ui/useOffsetTop';
import { useShortcuts } from '../ui/useShortcuts';
import { neighborIndex } from './list';
import { type CurrentRow, columns, SessionTableRow } from './SessionTableRow';
import { ROW_HEIGHTS, tableStyle } from './tableStyle';

const OVERSCAN = 8;
/** The title bar covers the top of the page. */
const TITLE_BAR_PX = 56;
/** Number of rows before the end at which the next page is requested. */
const NEAR_END = 40;
/** Ages change slowly; durations of running sessions tick every second. */
const AGE_INTERVAL_MS = 15_000;
const RUNNING_INTERVAL_MS = 1_000;

export interface SessionsTableProps {
  sessions: readonly SessionSummary[];
  /** Whether all sessions are loaded. */
  isComplete: boolean;
  onNearEnd: () => void;
}

export function SessionsTable({ sessions, isComplete, onNearEnd }: SessionsTableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const isPhone = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true });
  const rowHeight = isPhone ? ROW_HEIGHTS.phone : ROW_HEIGHTS.desktop;
  const virtualizer = useWindowVirtualizer({
    count: sessions.length,
    estimateSize: () => rowHeight,
    getItemKey: (index) => sessions[index]?.session_id ?? index,
    overscan: OVERSCAN,
    scrollMargin: useOffsetTop(body),
    scrollPaddingStart: TITLE_BAR_PX,
  });
  const items = virtualizer.getVirtualItems();
  const first = items[0];
  const last = items.at(-1);
  const margin = virtualizer.options.scrollMargin;
  const nowMs = useNow(
    items.some(({ index }) => isRunning(sessions[index])) ? RUNNING_INTERVAL_MS : AGE_INTERVAL_MS,
  );

  useNearEnd(last?.index ?? 0, sessions.length, onNearEnd);
  const { current, setCurrent } = useRowKeys(sessions, (index) => virtualizer.scrollToIndex(index));

  return (
    <Box
      component="table"
      aria-label="Sessions"
      aria-rowcount={isComplete ? sessions.length + 1 : -1}
      sx={tableStyle}
      style={{ '--row-height': `${rowHeight}px` } as React.CSSProperties}
    >
      <colgroup>
        {columns.map(({ heading, width, from }) => (
          <col key={heading} className={from} style={{ width: isPhone ? undefined : width }} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map(({ heading, from, align }) => (
            <th key={heading} scope="col" className={from} data-align={align}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        <Spacer height={(first?.start ?? margin) - margin} />
        {items.map(({ index, key }) => {
          const session = sessions[index];
          if (!session) return null;
          const isCurrent = current === null ? index === 0 : current.id === session.session_id;
          return (
            <SessionTableRow
              key={key}
              session={session}
              nowMs={nowMs}
              rowIndex={index + 2}
              isCurrent={isCurrent}
              wantsFocus={isCurrent && current?.wantsFocus === true}
              onCurrent={setCurrent}
            />
          );
        })}
        <Spacer height={virtualizer.getTotalSize() - ((last?.end ?? margin) - margin)} />
      </tbody>
    </Box>
  );
}

function isRunning(session: SessionSummary | undefined): boolean {
  return session !== undefined && session.started_at_us !== null && session.completed_at_us === null;
}

/** Takes the space of rows that are not rendered. */
function Spacer({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden className="blank">
      <td colSpan={columns.length} style={{ height }} />
    </tr>
  );
}

/** Requests the next page when the end becomes visible, also after a page that did not fill the screen. */
function useNearEnd(lastIndex: number, count: number, onNearEnd: () => void): void {
  const notify = useEffectEvent(onNearEnd);
  useEffect(() => {
    if (lastIndex >= count - NEAR_END) notify();
  }, [lastIndex, count]);
}

/** The row selected with the keyboard. It is stored by session id, so that new rows above do not move it. */
function useRowKeys(sessions: readonly SessionSummary[], scrollTo: (index: number) => void) {
  const [current, setCurrent] = useState<CurrentRow | null>(null);
  const go = (step: 1 | -1): boolean => {
    const index = neighborIndex(sessions, current?.id ?? null, step);
    const session = sessions[index];
    if (!session) return false;
    scrollTo(index);
    setCurrent({ id: session.session_id, wantsFocus: true });
    return true;
  };
  useShortcuts((key) => {
    const isInTable = document.activeElement?.closest('table') !== null && document.activeElement !== null;
    switch (key) {
      case 'j':
        return go(1);
      case 'k':
        return go(-1);
      case 'ArrowDown':
        return isInTable && go(1);
      case 'ArrowUp':
        return isInTable && go(-1);
      default:
        return false;
    }
  });
  return { current, setCurrent };
}
