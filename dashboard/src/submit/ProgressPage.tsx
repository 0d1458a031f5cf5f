/** Progress of a submitted alert (`/submit/{alert_id}`): the current step, then the result or the error. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { getJson } from '../api/client';
import type { ProcessingStatus } from '../api/types';
import { sessionPagePath } from '../app/pagePaths';
import { toSentence } from '../format/sentence';
import { progressOf } from '../live/progress';
import { useChannel, useLiveState } from '../live/useChannel';
import { CopyButton } from '../ui/CopyButton';
import { Failure } from '../ui/Failure';
import { Markdown } from '../ui/Markdown';
import { StageStack } from '../ui/StageStack';
import { Status } from '../ui/Status';
import { stageLines } from '../ui/stages';
import { type ProgressView, pollIntervalMs, progressView } from './progress';
import { submittedRoute } from './route';

const statusQuery = (alertId: string) =>
  queryOptions({
    queryKey: ['submit', 'progress', alertId],
    queryFn: ({ signal }) =>
      getJson<ProcessingStatus>(`/processing-status/${encodeURIComponent(alertId)}`, signal),
  });

export function ProgressPage() {
  const { alertId } = submittedRoute.useParams();
  const status = useLiveStatus(alertId);
  return (
    <Box sx={{ display: 'grid', gap: 2, maxWidth: 860, mx: 'auto' }}>
      <title>Alert submitted · TARSy</title>
      <Typography component="h1" variant="h5">
        Alert submitted
      </Typography>
      {status.data ? (
        <Progress status={status.data} />
      ) : status.error ? (
        <Failure what="The progress" error={status.error} onRetry={() => void status.refetch()} />
      ) : (
        <Skeleton role="status" aria-label="Loading progress" variant="rounded" height={220} />
      )}
    </Box>
  );
}

function useLiveStatus(alertId: string) {
  const queryClient = useQueryClient();
  const isLive = useLiveState() === 'open';
  const query = statusQuery(alertId);
  const status = useQuery({ ...query, refetchInterval: ({ state }) => pollIntervalMs(state.data, isLive) });
  useChannel('sessions', (message) => {
    const progress = progressOf(message);
    if (progress?.alert_id === alertId) queryClient.setQueryData(query.queryKey, progress);
    const isAbout = message.type === 'session.status' && message.data.session_id === status.data?.session_id;
    if (isAbout || message.type === 'gap') void queryClient.invalidateQueries({ queryKey: query.queryKey });
  });
  return status;
}

function Progress({ status }: { status: ProcessingStatus }) {
  const view = progressView(status);
  return (
    <>
      <Paper variant="outlined" sx={{ p: { xs: 2, sm: 3 }, display: 'grid', gap: 1.5 }}>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: 1 }}>
          <Box role="status" aria-label="Progress" sx={{ display: 'grid', gap: 0.5, minWidth: 0 }}>
            <Status look={view.look} />
            <bdi>{view.message}</bdi>
          </Box>
          <Box sx={{ color: 'text.secondary', fontSize: 12.5, fontVariantNumeric: 'tabular-nums' }}>
            {view.stages}
          </Box>
        </Box>
        {!view.hasEnded && (
          <LinearProgress
            aria-label="Completed"
            variant={view.percent > 0 ? 'determinate' : 'indeterminate'}
            value={view.percent}
          />
        )}
        <StageStack stages={stageLines(status.stage_progress)} expected={status.total_stages} />
        <Box sx={{ display: 'flex', gap: 1 }}>
          <Button component={Link} to={sessionPagePath(status.session_id)} variant="contained">
            {view.hasEnded ? 'Open session' : 'Watch session'}
          </Button>
          <Button component={Link} to="/submit">
            Submit another
          </Button>
        </Box>
      </Paper>
      <Outcome view={view} />
    </>
  );
}

function Outcome({ view }: { view: ProgressView }) {
  return (
    <>
      {view.error !== null && <Alert severity="error">{toSentence(view.error)}</Alert>}
      {view.result !== null && (
        <Paper component="section" variant="outlined" aria-labelledby="result" sx={{ p: { xs: 2, sm: 3 } }}>
          <Box sx={{ display: 'flex', justifyContent: 'space-between', mb: 1 }}>
            <Typography component="h2" variant="h6" id="result">
              Analysis
            </Typography>
            <CopyButton text={view.result} what="the analysis" />
          </Box>
          <Markdown text={view.result} />
        </Paper>
      )}
    </>
  );
}
