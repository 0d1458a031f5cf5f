/**
 * Styles of the sessions table. One style sheet for all rows, because rows mount and unmount while the user
 * scrolls.
 */
import type { SxProps, Theme } from '@mui/material/styles';

/** Fixed row heights, because the virtual list relies on them. */
export const ROW_HEIGHTS = { desktop: 46, phone: 88 } as const;

export const tableStyle: SxProps<Theme> = (theme) => ({
  width: '100%',
  tableLayout: 'fixed',
  borderCollapse: 'separate',
  borderSpacing: 0,
  border: 1,
  borderColor: 'divider',
  borderRadius: 1,
  bgcolor: 'background.paper',
  fontSize: 13,
  lineHeight: '18px',
  fontVariantNumeric: 'tabular-nums',
  '& th, & td': { px: 1.25, py: 0, textAlign: 'left', overflow: 'hidden', whiteSpace: 'nowrap' },
  '& th': { height: 34, fontWeight: 600, color: 'text.secondary', fontSize: 12 },
  '& [data-align="right"]': { textAlign: 'right' },
  '& tbody tr:not(.blank)': { position: 'relative', height: 'var(--row-height)' },
  '& tbody tr:not(.blank) > td': { borderTop: 1, borderColor: 'divider' },
  '& tbody tr:hover': { bgcolor: 'action.hover' },
  '& .blank td': { p: 0 },
  '& .cut': { display: 'block', overflow: 'hidden', textOverflow: 'ellipsis' },
  '& .muted': { color: 'text.secondary', fontSize: 12, unicodeBidi: 'isolate' },
  '& mark': { bgcolor: '#ffe08a', color: '#1b1b1b', borderRadius: '2px', px: '1px' },
  '& a': { color: 'inherit', fontWeight: 600, textDecoration: 'none', outline: 'none' },
  // The whole row is the link.
  '& a::after': { content: '""', position: 'absolute', inset: 0 },
  '& a:focus-visible::after': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: -2 },
  // Elements with a tooltip are above the link.
  '& time, & [title]:not(a):not(.muted)': { position: 'relative' },
  '& .on-phone': { display: 'none' },
  [theme.breakpoints.down('md')]: { '& .desktop': { display: 'none' } },
  [theme.breakpoints.down('sm')]: {
    '& .tablet': { display: 'none' },
    '& thead': { position: 'absolute', clipPath: 'inset(50%)', width: '1px', height: '1px' },
    '& .on-phone': { display: 'grid', fontSize: 12 },
  },
});
