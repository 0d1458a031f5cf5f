/** Details of one call: time, duration, tokens, and its messages. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { sessionPagePath } from '../app/pagePaths';
import { BoxLink } from '../ui/BoxLink';
import { Failure } from '../ui/Failure';
import { Status } from '../ui/Status';
import { Time } from '../ui/Time';
import { CallTexts } from './CallTexts';
import { llmDetail, mcpDetail } from './detail';
import type { TraceRow } from './model';
import { llmQuery, mcpQuery } from './query';

export interface CallPanelProps {
  sessionId: string;
  row: TraceRow;
}

export function CallPanel({ sessionId, row }: CallPanelProps) {
  const call = useCallDetail(sessionId, row);
  return (
    <Paper
      variant="outlined"
      component="section"
      aria-label="Selected call"
      sx={{
        p: 2,
        display: 'grid',
        gap: 1.5,
        minWidth: 0,
        maxHeight: { md: 'calc(100dvh - 190px)' },
        overflow: { md: 'auto' },
      }}
    >
      <BoxLink to="." search={{}} sx={{ display: { md: 'none' }, color: 'primary.main', fontSize: 13 }}>
        All calls
      </BoxLink>
      <Facts sessionId={sessionId} row={row} />
      {call.data ? (
        <CallTexts detail={call.data} />
      ) : call.error ? (
        <Failure what="The call" error={call.error} onRetry={call.retry} />
      ) : (
        <Skeleton role="status" aria-label="Loading call" variant="rounded" height={240} />
      )}
    </Paper>
  );
}

/** Model and tool calls have different endpoints; the query for the other type is disabled. */
function useCallDetail(sessionId: string, row: TraceRow) {
  const llm = useQuery({ ...llmQuery(sessionId, row.id), enabled: row.type === 'llm' });
  const mcp = useQuery({ ...mcpQuery(sessionId, row.id), enabled: row.type === 'mcp' });
  switch (row.type) {
    case 'llm':
      return { data: llm.data && llmDetail(llm.data), error: llm.error, retry: () => void llm.refetch() };
    case 'mcp':
      return { data: mcp.data && mcpDetail(mcp.data), error: mcp.error, retry: () => void mcp.refetch() };
  }
}

function Facts({ sessionId, row }: CallPanelProps) {
  return (
    <Box sx={{ display: 'grid', gap: 0.5 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: 1 }}>
        <Typography component="h2" sx={{ fontSize: 15, fontWeight: 600, overflowWrap: 'anywhere' }}>
          {row.name}
        </Typography>
        <Status look={row.look} size={14} />
      </Box>
      <Box sx={{ fontSize: 12.5, color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}>
        {row.purpose} · <Time moment={row.startedAt} /> ({row.offset}) · {row.duration}
        {row.tokens && ` · ${row.tokens.detail}`}
      </Box>
      {row.caller !== '' && (
        <BoxLink
          to={sessionPagePath(sessionId)}
          {...(row.stageId !== null && { hash: `stage-${row.stageId}` })}
          sx={{ fontSize: 12.5, color: 'primary.main', width: 'fit-content' }}
        >
          {row.caller} in the timeline
        </BoxLink>
      )}
      {row.error !== null && (
        <Box component="bdi" sx={{ fontSize: 12.5, color: 'error.main', overflowWrap: 'anywhere' }}>
          {row.error}
        </Box>
      )}
    </Box>
  );
}
