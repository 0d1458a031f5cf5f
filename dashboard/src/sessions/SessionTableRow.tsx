/** One row of the sessions table: a link to the session over its whole width. */
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import type { SessionSummary } from '../api/types';
import { sessionAddress } from '../app/addresses';
import { AgeCell, type CellProps, PhoneLines, Remark, StatusCell, TextCell, TokensCell } from './cells';
import { sessionRow } from './model';

interface TableColumn {
  heading: string;
  /** The narrowest screen that still shows this column; it is a class of the table's look. */
  from: 'phone' | 'tablet' | 'desktop';
  align: 'left' | 'right';
  width: string;
  /** What stands in it; the column of the alert type is the link, which the row draws itself. */
  draw: ((props: CellProps) => ReactNode) | 'link';
}

export const columns: readonly TableColumn[] = [
  { heading: 'Status', from: 'tablet', align: 'left', width: '16%', draw: StatusCell },
  { heading: 'Alert type', from: 'phone', align: 'left', width: '28%', draw: 'link' },
  {
    heading: 'Chain',
    from: 'tablet',
    align: 'left',
    width: '18%',
    draw: ({ row }) => <TextCell text={row.chain} />,
  },
  {
    heading: 'Author',
    from: 'desktop',
    align: 'left',
    width: '11%',
    draw: ({ row }) => <TextCell text={row.author} />,
  },
  { heading: 'Age', from: 'tablet', align: 'right', width: '6%', draw: AgeCell },
  { heading: 'Duration', from: 'tablet', align: 'right', width: '8%', draw: ({ row }) => row.duration },
  { heading: 'Tokens', from: 'desktop', align: 'right', width: '6%', draw: TokensCell },
  {
    heading: 'Stages',
    from: 'tablet',
    align: 'right',
    width: '11%',
    draw: ({ row }) => <TextCell text={row.stages} />,
  },
];

/** The row that the keyboard is at. */
export interface CurrentRow {
  id: string;
  /** It got there by a key, so the focus follows. */
  wantsFocus: boolean;
}

export interface SessionTableRowProps {
  session: SessionSummary;
  nowMs: number;
  rowIndex: number;
  /** Tab leads to this row, and from it out of the table. */
  isCurrent: boolean;
  wantsFocus: boolean;
  onCurrent: (current: CurrentRow) => void;
}

/** Whoever scrolls draws rows that come, not those that stay. */
export const SessionTableRow = memo(function SessionTableRow(props: SessionTableRowProps) {
  const { session, nowMs, rowIndex } = props;
  const row = sessionRow(session, nowMs);
  return (
    <tr aria-rowindex={rowIndex}>
      {columns.map(({ heading, from, align, draw: Draw }) => (
        <td key={heading} className={from} data-align={align}>
          {Draw === 'link' ? <LinkCell {...props} row={row} /> : <Draw row={row} />}
        </td>
      ))}
    </tr>
  );
});

function LinkCell({ row, isCurrent, wantsFocus, onCurrent }: SessionTableRowProps & CellProps) {
  return (
    <>
      <Link
        to={sessionAddress(row.id)}
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
      <Remark parts={row.remark} />
      <PhoneLines row={row} />
    </>
  );
}
