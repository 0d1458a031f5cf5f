/** The session page (`/sessions/{id}`): an investigation, live while it runs. */
import Skeleton from '@mui/material/Skeleton';
import Stack from '@mui/material/Stack';
import { useQuery } from '@tanstack/react-query';
import { Failure } from '../ui/Failure';
import { LoadedSession } from './LoadedSession';
import { sessionQuery } from './query';
import { sessionRoute } from './route';

export function SessionPage() {
  const { sessionId } = sessionRoute.useParams();
  const query = useQuery(sessionQuery(sessionId));
  if (query.data) return <LoadedSession key={sessionId} detail={query.data} failure={query.error} />;
  if (query.error)
    return <Failure what="The session" error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading />;
}

function Loading() {
  return (
    <Stack role="status" aria-label="Loading session" spacing={2}>
      <title>Session · TARSy</title>
      <Skeleton variant="rounded" height={72} />
      <Skeleton variant="rounded" height={110} />
      <Skeleton variant="rounded" height={240} />
    </Stack>
  );
}
