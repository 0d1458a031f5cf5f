/** The sessions page (`/`): every investigation, newest first. */
import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { createRoute } from '@tanstack/react-router';
import { getJson } from '../api/client';
import type { SessionPage } from '../api/types';
import { rootRoute } from '../app/root';
import { type Column, DenseTable } from '../ui/DenseTable';
import { Notice } from '../ui/Notice';
import { AlertCell, CreatedCell, StatusCell, TextCell, TokensCell } from './cells';
import { type SessionRow, type SessionsView, sessionsView } from './model';

const PAGE_SIZE = 50;
const SKELETON_ROWS = [1, 2, 3, 4, 5, 6, 7, 8];

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => getJson<SessionPage>(`/api/v1/sessions?limit=${PAGE_SIZE}`, signal),
  // Asking again stands in for live updates until the server pushes them.
  refetchInterval: 5_000,
});

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  // Started, not awaited: the page draws its own loading state.
  loader: ({ context }) => {
    void context.queryClient.prefetchQuery(sessionsQuery);
  },
  component: SessionsRoute,
});

const columns: readonly Column<SessionRow>[] = [
  { heading: 'Status', align: 'left', from: 'tablet', share: 20, draw: (row) => <StatusCell row={row} /> },
  { heading: 'Alert type', align: 'left', from: 'phone', share: 20, draw: (row) => <AlertCell row={row} /> },
  {
    heading: 'Chain',
    align: 'left',
    from: 'tablet',
    share: 20,
    draw: (row) => <TextCell text={row.chain} />,
  },
  {
    heading: 'Author',
    align: 'left',
    from: 'desktop',
    share: 14,
    draw: (row) => <TextCell text={row.author} />,
  },
  { heading: 'Created', align: 'left', from: 'tablet', share: 10, draw: (row) => <CreatedCell row={row} /> },
  { heading: 'Tokens', align: 'right', from: 'desktop', share: 6, draw: (row) => <TokensCell row={row} /> },
  {
    heading: 'Stages',
    align: 'right',
    from: 'tablet',
    share: 10,
    draw: (row) => <TextCell text={row.stages} />,
  },
];

function SessionsRoute() {
  const query = useQuery(sessionsQuery);
  return (
    <>
      <title>Sessions · TARSy</title>
      <Typography component="h1" variant="h5" sx={{ mb: 2 }}>
        Sessions
      </Typography>
      <Sessions view={sessionsView(query)} onRetry={() => void query.refetch()} />
    </>
  );
}

function Sessions({ view, onRetry }: { view: SessionsView; onRetry: () => void }) {
  switch (view.kind) {
    case 'loading':
      return <Loading />;
    case 'failed':
      return (
        <Notice title="Sessions could not be loaded" action={<Button onClick={onRetry}>Try again</Button>}>
          {view.reason}
        </Notice>
      );
    case 'empty':
      return (
        <Notice title="No investigations yet">
          An investigation starts when an alert is sent to this server. It will appear here by itself.
        </Notice>
      );
    case 'table':
      return <SessionList view={view} />;
  }
}

function SessionList({ view }: { view: Extract<SessionsView, { kind: 'table' }> }) {
  return (
    <Stack spacing={2}>
      {view.stale && (
        <Alert severity="warning">This list could not be brought up to date. {view.stale}</Alert>
      )}
      <DenseTable label="Sessions" columns={columns} rows={view.rows} rowKey={(row) => row.id} />
      {view.older && (
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          These are the newest {view.rows.length}; there are older ones.
        </Typography>
      )}
    </Stack>
  );
}

function Loading() {
  return (
    <Stack role="status" aria-label="Loading sessions" spacing={0.5}>
      {SKELETON_ROWS.map((row) => (
        <Skeleton key={row} variant="rounded" height={36} />
      ))}
    </Stack>
  );
}
