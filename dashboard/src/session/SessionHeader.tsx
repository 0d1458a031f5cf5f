/** The top of the session page: title, status, facts and actions. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { Status } from '../ui/Status';
import { Time } from '../ui/Time';
import type { SessionFact, SessionHeaderModel } from './model';
import { SessionActions } from './SessionActions';

export function SessionHeader({ head, sessionId }: { head: SessionHeaderModel; sessionId: string }) {
  return (
    <Box component="header" sx={{ display: 'grid', gap: 1.5 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 2, rowGap: 1 }}>
        <Typography component="h1" variant="h5" sx={{ overflowWrap: 'anywhere', unicodeBidi: 'isolate' }}>
          {head.title}
        </Typography>
        <Box role="status" aria-label="Status" sx={{ fontSize: 14, flex: 1 }}>
          <Status look={head.status} size={18} />
        </Box>
        <SessionActions sessionId={sessionId} canCancel={head.canCancel} />
      </Box>
      <Facts facts={head.facts} />
      {head.step && (
        <Typography sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
          Current step: {head.step}
        </Typography>
      )}
      {head.cancelled && <Typography sx={{ color: 'text.secondary' }}>{head.cancelled}</Typography>}
      {head.error && (
        <Alert severity="error" sx={{ overflowWrap: 'anywhere' }}>
          {head.error}
        </Alert>
      )}
    </Box>
  );
}

function Facts({ facts }: { facts: readonly SessionFact[] }) {
  return (
    <Box component="dl" sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 3, rowGap: 0.75, m: 0 }}>
      {facts.map(({ label, text, detail, moment }) => (
        <Box key={label} title={detail}>
          <Box component="dt" sx={{ color: 'text.secondary', fontSize: 12 }}>
            {label}
          </Box>
          <Box component="dd" sx={{ m: 0, fontVariantNumeric: 'tabular-nums', overflowWrap: 'anywhere' }}>
            {moment ? <Time moment={moment} /> : text}
          </Box>
        </Box>
      ))}
    </Box>
  );
}
