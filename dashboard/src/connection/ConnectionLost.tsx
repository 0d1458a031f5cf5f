/** Says, above whatever page is open, that what it shows may be old. Drawn only while that is so. */
import Alert from '@mui/material/Alert';
import AlertTitle from '@mui/material/AlertTitle';
import type { Connection } from './model';
import { HEALTH_EVERY_MS } from './query';

export function ConnectionLost({ connection }: { connection: Connection }) {
  if (connection.state !== 'lost') return null;
  return (
    <Alert severity="error" sx={{ mb: 3 }}>
      <AlertTitle>Connection lost</AlertTitle>
      {connection.reason} What you see may be out of date. The dashboard asks again every{' '}
      {HEALTH_EVERY_MS / 1000} seconds; if this stays, check that the server runs.
    </Alert>
  );
}
