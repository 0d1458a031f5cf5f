/** The sessions page (`/`): running sessions, queued sessions, and all sessions, newest first. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { createRoute } from '@tanstack/react-router';
import { useRef } from 'react';
import { rootRoute } from '../app/root';
import { staleReason } from '../ui/failure';
import { useShortcuts } from '../ui/useShortcuts';
import { visuallyHidden } from '../ui/visuallyHidden';
import { ActiveSection } from './ActiveSection';
import { FilterBar } from './FilterBar';
import { readFilters, type SessionFilters } from './filters';
import { activeQuery, listQuery, useLiveSessions, useSessionList } from './query';
import { LoadingRows, SessionsSection } from './SessionsSection';

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: readFilters,
  loaderDeps: ({ search }) => search,
  // Started, not awaited: the page draws its own loading state.
  loader: ({ context, deps }) => {
    void context.queryClient.prefetchQuery(activeQuery);
    void context.queryClient.prefetchInfiniteQuery(listQuery(deps));
  },
  component: SessionsRoute,
});

function SessionsRoute() {
  const filters = sessionsRoute.useSearch();
  const navigate = sessionsRoute.useNavigate();
  const search = useRef<HTMLInputElement>(null);
  const active = useQuery(activeQuery);
  const sessions = useSessionList(filters);
  useLiveSessions();
  useShortcuts((key) => {
    if (key !== '/') return false;
    search.current?.focus();
    return true;
  });
  const filter = (next: SessionFilters) => void navigate({ search: next, replace: true, resetScroll: false });
  return (
    <Box sx={{ display: 'grid', gap: 2, minWidth: 0 }}>
      <title>Sessions · TARSy</title>
      <Typography component="h1" variant="h5" sx={visuallyHidden}>
        Sessions
      </Typography>
      <ActiveSection active={active.data} problem={staleReason(active.error)} />
      <FilterBar filters={filters} onChange={filter} searchRef={search} />
      {/* Running sessions are above the list, so the list waits for them to avoid a layout shift. */}
      {active.isPending ? (
        <LoadingRows />
      ) : (
        <SessionsSection filters={filters} onClear={() => filter({})} query={sessions} />
      )}
    </Box>
  );
}
