/** The connection's state in the title bar. Screen readers hear it change. */
import Box from '@mui/material/Box';
import { Dot } from '../ui/Dot';
import { type Connection, connectionLook } from './model';

export function ConnectionBadge({ connection }: { connection: Connection }) {
  const { label, tone } = connectionLook(connection);
  return (
    <Box
      role="status"
      aria-label="Connection"
      sx={{ display: 'flex', alignItems: 'center', gap: 1, fontSize: 13, whiteSpace: 'nowrap' }}
    >
      <Dot tone={tone} />
      {label}
    </Box>
  );
}
