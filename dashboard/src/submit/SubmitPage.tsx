/** The page to submit an alert by hand (`/submit`), empty or with the alert of an earlier session. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { READS_ONLY } from '../access/model';
import { useMayAct } from '../access/query';
import { sessionAddress } from '../app/addresses';
import { BoxLink } from '../ui/BoxLink';
import { Failure } from '../ui/Failure';
import { AlertForm } from './AlertForm';
import { emptyForm, formOf } from './form';
import { alertTypesQuery, sessionQuery } from './query';
import { submitRoute } from './route';

export function SubmitPage() {
  const { from } = submitRoute.useSearch();
  const mayAct = useMayAct();
  return (
    <Box sx={{ display: 'grid', gap: 2, maxWidth: 860, mx: 'auto' }}>
      <title>Submit an alert · TARSy</title>
      <Typography component="h1" variant="h5">
        Submit an alert
      </Typography>
      {!mayAct && <Alert severity="info">{READS_ONLY}</Alert>}
      {mayAct && (from === undefined ? <Fresh /> : <Again key={from} sessionId={from} />)}
    </Box>
  );
}

function Fresh() {
  const types = useQuery(alertTypesQuery);
  if (types.data) return <AlertForm types={types.data} start={emptyForm} />;
  if (types.error) {
    return <Failure what="Alert types" error={types.error} onRetry={() => void types.refetch()} />;
  }
  return <Loading />;
}

function Again({ sessionId }: { sessionId: string }) {
  const types = useQuery(alertTypesQuery);
  const session = useQuery(sessionQuery(sessionId));
  const error = types.error ?? session.error;
  if (error) {
    const retry = () => void Promise.all([types.refetch(), session.refetch()]);
    return <Failure what="The alert to send again" error={error} onRetry={retry} />;
  }
  if (!types.data || !session.data) return <Loading />;
  return (
    <>
      <Alert severity="info">
        This is the alert of{' '}
        <BoxLink to={sessionAddress(sessionId)} sx={{ color: 'inherit' }}>
          an earlier session
        </BoxLink>
        , with what was masked in it. Sending it starts a new investigation.
      </Alert>
      <AlertForm types={types.data} start={formOf(session.data)} />
    </>
  );
}

function Loading() {
  return (
    <Box role="status" aria-label="Loading the form" sx={{ display: 'grid', gap: 2 }}>
      <Skeleton variant="rounded" height={40} />
      <Skeleton variant="rounded" height={280} />
      <Skeleton variant="rounded" height={40} />
    </Box>
  );
}
