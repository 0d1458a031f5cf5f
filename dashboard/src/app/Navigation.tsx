/** The ways to the pages, in the title bar. The page that is open is marked for eyes and for screen readers. */
import Box from '@mui/material/Box';
import type { SxProps, Theme } from '@mui/material/styles';
import { useMayAct } from '../access/query';
import { BoxLink } from '../ui/BoxLink';

const pages = [
  { name: 'Sessions', to: '/', exact: true, acts: false },
  { name: 'Submit', to: '/submit', exact: false, acts: true },
  { name: 'System', to: '/system', exact: false, acts: false },
] as const;

const linkLook: SxProps<Theme> = {
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
  const mayAct = useMayAct();
  const offered = pages.filter(({ acts }) => mayAct || !acts);
  return (
    <Box component="nav" aria-label="Pages" sx={{ display: 'flex', gap: 0.5, flex: 1, minWidth: 0 }}>
      {offered.map(({ name, to, exact }) => (
        <BoxLink
          key={to}
          to={to}
          // Filters of the list do not make it another page.
          activeOptions={{ exact, includeSearch: false }}
          sx={linkLook}
        >
          {name}
        </BoxLink>
      ))}
    </Box>
  );
}

/** The first thing that Tab reaches: whoever uses the keyboard need not pass the title bar on every page. */
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
      Skip to the content
    </Box>
  );
}
