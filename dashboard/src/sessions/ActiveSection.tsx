/** Running sessions as cards, and queued sessions. Empty while there are none. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { ActiveSessions, Session } from '../api/types';
import { sessionPagePath } from '../app/pagePaths';
import { ageText } from '../format/duration';
import { toSentence } from '../format/sentence';
import { momentOf } from '../format/time';
import { BoxLink } from '../ui/BoxLink';
import { Icon } from '../ui/Icon';
import { Time } from '../ui/Time';
import { useNow } from '../ui/useNow';
import { RunningCard } from './RunningCard';

const FIRST_CARDS = 6;
const FIRST_QUEUED = 5;

export interface ActiveSectionProps {
  active: ActiveSessions | undefined;
  /** Why the data is missing or out of date. */
  problem: string | null;
}

export function ActiveSection({ active, problem }: ActiveSectionProps) {
  return (
    <>
      {problem && (
        <Alert severity="warning">
          Running and queued sessions could not be refreshed. {toSentence(problem)}
        </Alert>
      )}
      {active && active.running_total > 0 && (
        <Running sessions={active.running} total={active.running_total} />
      )}
      {active && active.queued_total > 0 && <Queued sessions={active.queued} total={active.queued_total} />}
    </>
  );
}

function Running({ sessions, total }: { sessions: Session[]; total: number }) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? sessions : sessions.slice(0, FIRST_CARDS);
  return (
    <Box component="section" aria-labelledby="running">
      <Typography component="h2" id="running" sx={headingStyle}>
        Running · {total}
      </Typography>
      <Box
        sx={{
          display: 'grid',
          gap: 1.5,
          gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 340px), 1fr))',
        }}
      >
        {shown.map((session) => (
          <RunningCard key={session.session_id} session={session} />
        ))}
      </Box>
      {shown.length < sessions.length && (
        <Button sx={{ mt: 1 }} onClick={() => setShowsAll(true)}>
          Show all {sessions.length}
        </Button>
      )}
    </Box>
  );
}

function Queued({ sessions, total }: { sessions: Session[]; total: number }) {
  const nowMs = useNow(5_000);
  const others = total - Math.min(sessions.length, FIRST_QUEUED);
  return (
    <Box component="section" aria-labelledby="queued">
      <Typography component="h2" id="queued" sx={headingStyle}>
        Queued · {total}
      </Typography>
      <Box
        component="ol"
        sx={{ m: 0, p: 0, listStyle: 'none', display: 'flex', flexWrap: 'wrap', gap: 1, fontSize: 12.5 }}
      >
        {sessions.slice(0, FIRST_QUEUED).map((session) => (
          <Box component="li" key={session.session_id}>
            <BoxLink to={sessionPagePath(session.session_id)} sx={queuedStyle}>
              <Icon name="waiting" size={14} />
              <strong>{session.alert_type}</strong>
              <Time
                moment={momentOf(session.created_at_us)}
                text={waitText(ageText(nowMs - session.created_at_us / 1000))}
              />
            </BoxLink>
          </Box>
        ))}
        {others > 0 && (
          <Box component="li">
            <BoxLink to="/" search={{ status: ['pending'] }} sx={queuedStyle}>
              and {others} more
            </BoxLink>
          </Box>
        )}
      </Box>
    </Box>
  );
}

const waitText = (age: string): string => (age === 'now' ? 'just queued' : `queued for ${age}`);

const headingStyle = { fontSize: 13, fontWeight: 600, mb: 1, color: 'text.secondary' };

const queuedStyle = {
  display: 'inline-flex',
  alignItems: 'center',
  gap: 0.75,
  px: 1,
  py: 0.5,
  border: 1,
  borderColor: 'divider',
  borderRadius: 1,
  bgcolor: 'background.paper',
  color: 'text.secondary',
  textDecoration: 'none',
  '& strong': { fontWeight: 600, color: 'text.primary' },
  '&:hover': { borderColor: 'text.secondary' },
};
