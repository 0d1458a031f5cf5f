/** A running session: current step, elapsed time, and its stages. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import type { SxProps, Theme } from '@mui/material/styles';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { Session } from '../api/types';
import { sessionPagePath } from '../app/pagePaths';
import { momentOf } from '../format/time';
import { BoxLink } from '../ui/BoxLink';
import { StageStack } from '../ui/StageStack';
import { Status } from '../ui/Status';
import { stageLines } from '../ui/stages';
import { Time } from '../ui/Time';
import { useNow } from '../ui/useNow';
import { sessionCard } from './card';
import { sessionDuration } from './model';
import { progressQuery } from './query';

const cut: SxProps<Theme> = {
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
  minWidth: 0,
};

export function RunningCard({ session }: { session: Session }) {
  const heading = useId();
  const card = sessionCard(session);
  const { data: progress } = useQuery(progressQuery(session.session_id, session.alert_id));
  return (
    <Paper
      component="article"
      variant="outlined"
      aria-labelledby={heading}
      sx={{ p: 1.5, display: 'grid', gap: 1, alignContent: 'start', minWidth: 0, position: 'relative' }}
    >
      <Box sx={{ display: 'flex', justifyContent: 'space-between', gap: 1.5, fontSize: 13 }}>
        <Box
          component="h3"
          id={heading}
          title={card.title}
          sx={{ ...cut, m: 0, fontSize: 14, fontWeight: 600 }}
        >
          <BoxLink to={sessionPagePath(card.id)} sx={wholeCardLink}>
            {card.title}
          </BoxLink>
        </Box>
        <Status look={card.look} size={14} />
      </Box>
      <Box
        sx={{
          display: 'flex',
          justifyContent: 'space-between',
          gap: 1.5,
          fontSize: 12,
          color: 'text.secondary',
        }}
      >
        <Box component="span" title={card.chain} sx={cut}>
          {card.chain}
        </Box>
        <Box component="span" sx={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
          {card.progress} · <Elapsed session={session} />
        </Box>
      </Box>
      <Box component="bdi" title={card.step} sx={{ ...cut, fontSize: 12.5 }}>
        {card.step}
      </Box>
      {card.error !== null && (
        <Box component="bdi" title={card.error} sx={{ ...cut, fontSize: 12.5, color: 'error.main' }}>
          {card.error}
        </Box>
      )}
      <StageStack stages={stageLines(progress?.stage_progress ?? [])} expected={session.stages_total} />
    </Paper>
  );
}

/** A separate component, so that a tick of the clock re-renders nothing else. */
function Elapsed({ session }: { session: Session }) {
  const nowMs = useNow(1_000);
  const startedAt = momentOf(session.started_at_us ?? session.created_at_us);
  return <Time moment={startedAt} text={sessionDuration(session, nowMs)} />;
}

const wholeCardLink = {
  color: 'inherit',
  textDecoration: 'none',
  outline: 'none',
  '&::after': { content: '""', position: 'absolute', inset: 0, borderRadius: 1 },
  '&:hover': { textDecoration: 'underline' },
  '&:focus-visible::after': { outline: '2px solid', outlineColor: 'primary.main' },
};
