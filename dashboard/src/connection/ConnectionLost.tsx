/**
 * A warning above the current page that its data may be out of date. Shown only while the connection is lost.
 */
import Alert from '@mui/material/Alert';
import AlertTitle from '@mui/material/AlertTitle';
import type { Connection } from './model';
import { HEALTH_INTERVAL_MS } from './query';

export function ConnectionLost({ connection }: { connection: Connection }) {
  if (connection.state !== 'lost') return null;
  return (
    <Alert severity="error" sx={{ mb: 3 }}>
      <AlertTitle>Connection lost; reconnecting</AlertTitle>
      {connection.reason} The data on this page may be out of date. Retrying every {HEALTH_INTERVAL_MS / 1000}{' '}
      seconds; check that the server is running.
    </Alert>
  );
}
