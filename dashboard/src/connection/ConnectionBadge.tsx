/** The connection state in the title bar. Screen readers announce changes; phones show only the dot. */
import Box from '@mui/material/Box';
import { Dot } from '../ui/Dot';
import { visuallyHidden } from '../ui/visuallyHidden';
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
      <Box component="span" sx={(theme) => ({ [theme.breakpoints.down('sm')]: visuallyHidden })}>
        {label}
      </Box>
    </Box>
  );
}
