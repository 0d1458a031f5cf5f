/** The page to submit an alert (`/submit`), empty or filled in from an earlier session. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { READ_ONLY_MESSAGE } from '../access/model';
import { useCanOperate } from '../access/query';
import { sessionPagePath } from '../app/pagePaths';
import { BoxLink } from '../ui/BoxLink';
import { Failure } from '../ui/Failure';
import { AlertForm } from './AlertForm';
import { emptyForm, formFromSession } from './form';
import { alertTypesQuery, sessionQuery } from './query';
import { submitRoute } from './route';

export function SubmitPage() {
  const { from } = submitRoute.useSearch();
  const canOperate = useCanOperate();
  return (
    <Box sx={{ display: 'grid', gap: 2, maxWidth: 860, mx: 'auto' }}>
      <title>Submit an alert · TARSy</title>
      <Typography component="h1" variant="h5">
        Submit an alert
      </Typography>
      {!canOperate && <Alert severity="info">{READ_ONLY_MESSAGE}</Alert>}
      {canOperate && (from === undefined ? <EmptyForm /> : <ResubmitForm key={from} sessionId={from} />)}
    </Box>
  );
}

function EmptyForm() {
  const types = useQuery(alertTypesQuery);
  if (types.data) return <AlertForm types={types.data} start={emptyForm} />;
  if (types.error) {
    return <Failure what="Alert types" error={types.error} onRetry={() => void types.refetch()} />;
  }
  return <Loading />;
}

function ResubmitForm({ sessionId }: { sessionId: string }) {
  const types = useQuery(alertTypesQuery);
  const session = useQuery(sessionQuery(sessionId));
  const error = types.error ?? session.error;
  if (error) {
    const retry = () => void Promise.all([types.refetch(), session.refetch()]);
    return <Failure what="The original alert" error={error} onRetry={retry} />;
  }
  if (!types.data || !session.data) return <Loading />;
  return (
    <>
      <Alert severity="info">
        This is the alert of{' '}
        <BoxLink to={sessionPagePath(sessionId)} sx={{ color: 'inherit' }}>
          an earlier session
        </BoxLink>
        ; masked values stay masked. Submitting it starts a new session.
      </Alert>
      <AlertForm types={types.data} start={formFromSession(session.data)} />
    </>
  );
}

function Loading() {
  return (
    <Box role="status" aria-label="Loading form" sx={{ display: 'grid', gap: 2 }}>
      <Skeleton variant="rounded" height={40} />
      <Skeleton variant="rounded" height={280} />
      <Skeleton variant="rounded" height={40} />
    </Box>
  );
}
