/** The trace page (`/sessions/{id}/trace`): all calls on a time axis, and the details of one call. */
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import type { SessionDetail, Trace } from '../api/types';
import { sessionPagePath } from '../app/pagePaths';
import { BoxLink } from '../ui/BoxLink';
import { Failure } from '../ui/Failure';
import { Notice } from '../ui/Notice';
import { Status } from '../ui/Status';
import { sessionStatusLook } from '../ui/status';
import { CallPanel } from './CallPanel';
import { findCall, traceTable } from './model';
import { useTrace } from './query';
import { traceRoute } from './route';
import { Waterfall } from './Waterfall';

export function TracePage() {
  const { sessionId } = traceRoute.useParams();
  const { session, trace } = useTrace(sessionId);
  return (
    <Box sx={{ display: 'grid', gap: 1.5, minWidth: 0 }}>
      <title>Trace · TARSy</title>
      <Heading sessionId={sessionId} session={session.data} />
      {trace.data ? (
        <Calls trace={trace.data} session={session.data} sessionId={sessionId} />
      ) : trace.error ? (
        <Failure what="Calls" error={trace.error} onRetry={() => void trace.refetch()} />
      ) : (
        <Skeleton role="status" aria-label="Loading trace" variant="rounded" height={480} />
      )}
    </Box>
  );
}

function Heading({ sessionId, session }: { sessionId: string; session: SessionDetail | undefined }) {
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', columnGap: 1.5, rowGap: 0.5 }}>
      <Typography component="h1" variant="h5">
        Trace
      </Typography>
      <BoxLink to={sessionPagePath(sessionId)} sx={{ color: 'primary.main', fontSize: 13 }}>
        {session ? `Session: ${session.alert_type}` : 'Session'}
      </BoxLink>
      {session && (
        <Box component="span" sx={{ fontSize: 13 }}>
          <Status look={sessionStatusLook(session.status)} size={14} />
        </Box>
      )}
    </Box>
  );
}

function Calls({
  trace,
  session,
  sessionId,
}: {
  trace: Trace;
  session: SessionDetail | undefined;
  sessionId: string;
}) {
  const { call: name } = traceRoute.useSearch();
  const table = traceTable(trace.interactions, session);
  const chosen = findCall(trace.interactions, name);
  const row = table.rows.find(({ id }) => id === chosen?.interaction_id);
  if (table.rows.length === 0) {
    return <Notice title="No calls yet">Model and tool calls appear here once they are recorded.</Notice>;
  }
  return (
    <>
      <Box sx={{ fontSize: 12.5, color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}>
        {table.summary}
        {table.hasShortenedGaps && ' · gaps of more than a minute are shortened'}
      </Box>
      <Box
        sx={{
          display: 'grid',
          gap: 2,
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'minmax(0, 5fr) minmax(0, 7fr)' },
        }}
      >
        {/* Phones show either the list or the call. */}
        <Box sx={{ display: { xs: row ? 'none' : 'block', md: 'block' }, minWidth: 0 }}>
          <Waterfall rows={table.rows} chosen={row?.id ?? null} />
        </Box>
        <Box sx={{ display: { xs: row ? 'block' : 'none', md: 'block' }, minWidth: 0 }}>
          {row ? (
            <CallPanel key={row.id} sessionId={sessionId} row={row} />
          ) : (
            <Notice title="Select a call">
              {name === undefined
                ? 'Its full request and response are shown here.'
                : 'This session has no call with the id in the URL.'}
            </Notice>
          )}
        </Box>
      </Box>
    </>
  );
}
