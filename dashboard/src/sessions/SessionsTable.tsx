/**
 * The table of sessions. Only the rows in sight are there, whatever the length of the list; blank rows above and below
 * them keep the scrollbar honest. A row is a link; one of them has the keyboard's attention.
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
import { neighbour } from './list';
import { type CurrentRow, columns, SessionTableRow } from './SessionTableRow';
import { ROW_HEIGHTS, tableLook } from './tableLook';

const OVERSCAN = 8;
/** What lies below the title bar is not in sight. */
const TITLE_BAR_PX = 56;
/** So many rows before the end the next page is asked for. */
const NEAR_END = 40;
/** Ages are rough; how long something runs is not. */
const AGE_BEAT_MS = 15_000;
const RUNNING_BEAT_MS = 1_000;

export interface SessionsTableProps {
  sessions: readonly SessionSummary[];
  /** Whether there are no more than these. */
  isWhole: boolean;
  onNearEnd: () => void;
}

export function SessionsTable({ sessions, isWhole, onNearEnd }: SessionsTableProps) {
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
  const nowMs = useNow(items.some(({ index }) => isRunning(sessions[index])) ? RUNNING_BEAT_MS : AGE_BEAT_MS);

  useNearEnd(last?.index ?? 0, sessions.length, onNearEnd);
  const { current, setCurrent } = useRowKeys(sessions, (index) => virtualizer.scrollToIndex(index));

  return (
    <Box
      component="table"
      aria-label="Sessions"
      aria-rowcount={isWhole ? sessions.length + 1 : -1}
      sx={tableLook}
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
        <Blank height={(first?.start ?? margin) - margin} />
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
        <Blank height={virtualizer.getTotalSize() - ((last?.end ?? margin) - margin)} />
      </tbody>
    </Box>
  );
}

function isRunning(session: SessionSummary | undefined): boolean {
  return session !== undefined && session.started_at_us !== null && session.completed_at_us === null;
}

/** Keeps the place of rows that are not drawn. */
function Blank({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden className="blank">
      <td colSpan={columns.length} style={{ height }} />
    </tr>
  );
}

/** Asks for more when the end comes into sight, also after a page that did not fill the screen. */
function useNearEnd(lastIndex: number, count: number, onNearEnd: () => void): void {
  const tell = useEffectEvent(onNearEnd);
  useEffect(() => {
    if (lastIndex >= count - NEAR_END) tell();
  }, [lastIndex, count]);
}

/** The row that the keyboard is at. It is known by its session, so that new rows above do not move it. */
function useRowKeys(sessions: readonly SessionSummary[], scrollTo: (index: number) => void) {
  const [current, setCurrent] = useState<CurrentRow | null>(null);
  const go = (step: 1 | -1): boolean => {
    const index = neighbour(sessions, current?.id ?? null, step);
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
