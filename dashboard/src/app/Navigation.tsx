/** Links to the pages, in the title bar. The current page is marked visually and for screen readers. */
import Box from '@mui/material/Box';
import type { SxProps, Theme } from '@mui/material/styles';
import { useCanOperate } from '../access/query';
import { BoxLink } from '../ui/BoxLink';

const pages = [
  { name: 'Sessions', to: '/', exact: true, needsOperator: false },
  { name: 'Submit', to: '/submit', exact: false, needsOperator: true },
  { name: 'System', to: '/system', exact: false, needsOperator: false },
] as const;

const linkStyle: SxProps<Theme> = {
  px: 1.25,
  py: 0.5,
  borderRadius: 1,
  fontSize: 13,
  fontWeight: 500,
  color: 'text.secondary',
  textDecoration: 'none',
  '&:hover': { color: 'text.primary', bgcolor: 'action.hover' },
  '&[aria-current]': { color: 'text.primary', bgcolor: 'action.selected' },
};

export function Navigation() {
  const canOperate = useCanOperate();
  const visible = pages.filter(({ needsOperator }) => canOperate || !needsOperator);
  return (
    <Box component="nav" aria-label="Pages" sx={{ display: 'flex', gap: 0.5, flex: 1, minWidth: 0 }}>
      {visible.map(({ name, to, exact }) => (
        <BoxLink
          key={to}
          to={to}
          // Filters in the query string do not make the list another page.
          activeOptions={{ exact, includeSearch: false }}
          sx={linkStyle}
        >
          {name}
        </BoxLink>
      ))}
    </Box>
  );
}

/** The first element in the tab order. It lets keyboard users skip the title bar. */
export function SkipLink({ target }: { target: string }) {
  return (
    <Box
      component="a"
      href={`#${target}`}
      sx={{
        position: 'fixed',
        top: 8,
        left: 8,
        zIndex: 'tooltip',
        px: 2,
        py: 1,
        borderRadius: 1,
        bgcolor: 'background.paper',
        color: 'text.primary',
        boxShadow: 4,
        '&:not(:focus)': { transform: 'translateY(-200%)' },
      }}
    >
      Skip to content
    </Box>
  );
}
