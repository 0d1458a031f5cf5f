/** One row of the sessions table: a link to the session over its whole width. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { sessionAddress } from '../app/addresses';
import { AgeCell, type CellProps, PhoneLines, Remark, StatusCell, TextCell, TokensCell } from './cells';
import type { SessionRow } from './model';

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
  { heading: 'Status', from: 'tablet', align: 'left', width: '14%', draw: StatusCell },
  { heading: 'Alert type', from: 'phone', align: 'left', width: '32%', draw: 'link' },
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
    width: '9%',
    draw: ({ row }) => <TextCell text={row.stages} />,
  },
];

export interface SessionTableRowProps {
  row: SessionRow;
  rowIndex: number;
  /** Tab leads to this row, and from it out of the table. */
  isCurrent: boolean;
  wantsFocus: boolean;
  onFocus: () => void;
}

export function SessionTableRow({ row, rowIndex, isCurrent, wantsFocus, onFocus }: SessionTableRowProps) {
  return (
    <tr aria-rowindex={rowIndex}>
      {columns.map(({ heading, from, align, draw: Draw }) => (
        <td key={heading} className={from} data-align={align}>
          {Draw === 'link' ? (
            <>
              <Link
                to={sessionAddress(row.id)}
                className="cut"
                title={row.alertType}
                tabIndex={isCurrent ? 0 : -1}
                onFocus={onFocus}
                ref={(link) => {
                  if (link && wantsFocus) link.focus({ preventScroll: true });
                }}
              >
                {row.alertType}
              </Link>
              <Remark parts={row.remark} />
              <PhoneLines row={row} />
            </>
          ) : (
            <Draw row={row} />
          )}
        </td>
      ))}
    </tr>
  );
}
