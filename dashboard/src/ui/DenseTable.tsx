/** A table with narrow rows that never grows wider than the screen. It knows columns, not what is in them. */
import Paper from '@mui/material/Paper';
import type { SxProps, Theme } from '@mui/material/styles';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import type { ReactNode } from 'react';

export interface Column<Row> {
  heading: string;
  draw: (row: Row) => ReactNode;
  align: 'left' | 'right';
  /** The narrowest screen that still shows this column. */
  from: 'phone' | 'tablet' | 'desktop';
  /** How much of the width it takes, measured against the other columns that are shown. */
  share: number;
}

export interface DenseTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
}

export function DenseTable<Row>({ label, columns, rows, rowKey }: DenseTableProps<Row>) {
  return (
    <Paper variant="outlined">
      <Table size="small" aria-label={label} sx={{ tableLayout: 'fixed' }}>
        <TableHead>
          <TableRow>
            {columns.map(({ heading, align, from, share }) => (
              <TableCell key={heading} align={align} width={`${share}%`} sx={cell[from]}>
                {heading}
              </TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map((row) => (
            <TableRow key={rowKey(row)} hover>
              {columns.map(({ heading, align, from, draw }) => (
                <TableCell key={heading} align={align} sx={cell[from]}>
                  {draw(row)}
                </TableCell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Paper>
  );
}

const cut = { px: 1.5, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' };

const cell: Record<Column<never>['from'], SxProps<Theme>> = {
  phone: cut,
  tablet: (theme) => ({ ...cut, [theme.breakpoints.down('sm')]: { display: 'none' } }),
  desktop: (theme) => ({ ...cut, [theme.breakpoints.down('md')]: { display: 'none' } }),
};
