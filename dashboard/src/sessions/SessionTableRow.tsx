/** A row of the sessions table. The whole row is a link to the session. */
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import type { SessionSummary } from '../api/types';
import { sessionPagePath } from '../app/pagePaths';
import { AgeCell, type CellProps, NoteLine, PhoneLines, StatusCell, TextCell, TokensCell } from './cells';
import { sessionRow } from './model';

interface TableColumn {
  heading: string;
  /** The narrowest screen that shows this column; a CSS class in `tableStyle.ts`. */
  from: 'phone' | 'tablet' | 'desktop';
  align: 'left' | 'right';
  width: string;
  /** Renders the cell; the alert type column contains the link, which the row renders itself. */
  render: ((props: CellProps) => ReactNode) | 'link';
}

export const columns: readonly TableColumn[] = [
  { heading: 'Status', from: 'tablet', align: 'left', width: '16%', render: StatusCell },
  { heading: 'Alert type', from: 'phone', align: 'left', width: '28%', render: 'link' },
  {
    heading: 'Chain',
    from: 'tablet',
    align: 'left',
    width: '18%',
    render: ({ row }) => <TextCell text={row.chain} />,
  },
  {
    heading: 'Author',
    from: 'desktop',
    align: 'left',
    width: '11%',
    render: ({ row }) => <TextCell text={row.author} />,
  },
  { heading: 'Age', from: 'tablet', align: 'right', width: '6%', render: AgeCell },
  { heading: 'Duration', from: 'tablet', align: 'right', width: '8%', render: ({ row }) => row.duration },
  { heading: 'Tokens', from: 'desktop', align: 'right', width: '6%', render: TokensCell },
  {
    heading: 'Stages',
    from: 'tablet',
    align: 'right',
    width: '11%',
    render: ({ row }) => <TextCell text={row.stages} />,
  },
];

/** The row selected with the keyboard. */
export interface CurrentRow {
  id: string;
  /** Set if it was selected by a key, so that the focus follows. */
  wantsFocus: boolean;
}

export interface SessionTableRowProps {
  session: SessionSummary;
  nowMs: number;
  rowIndex: number;
  /** The only row in the tab order (roving tabindex). */
  isCurrent: boolean;
  wantsFocus: boolean;
  onCurrent: (current: CurrentRow) => void;
}

/** Memoized: scrolling renders only new rows. */
export const SessionTableRow = memo(function SessionTableRow(props: SessionTableRowProps) {
  const { session, nowMs, rowIndex } = props;
  const row = sessionRow(session, nowMs);
  return (
    <tr aria-rowindex={rowIndex}>
      {columns.map(({ heading, from, align, render: Cell }) => (
        <td key={heading} className={from} data-align={align}>
          {Cell === 'link' ? <LinkCell {...props} row={row} /> : <Cell row={row} />}
        </td>
      ))}
    </tr>
  );
});

function LinkCell({ row, isCurrent, wantsFocus, onCurrent }: SessionTableRowProps & CellProps) {
  return (
    <>
      <Link
        to={sessionPagePath(row.id)}
        {...(row.anchor !== undefined && { hash: row.anchor })}
        className="cut"
        title={row.alertType}
        tabIndex={isCurrent ? 0 : -1}
        onFocus={() => onCurrent({ id: row.id, wantsFocus: false })}
        ref={(link) => {
          if (link && wantsFocus) link.focus({ preventScroll: true });
        }}
      >
        {row.alertType}
      </Link>
      <NoteLine parts={row.note} />
      <PhoneLines row={row} />
    </>
  );
}
