/** The chain as cards: one per stage, parallel agents side by side, skipped stages with their reason. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { Status } from '../ui/Status';
import { toneColors } from '../ui/tone';
import type { AgentCard, StageCard } from './chain';
import { stageAnchor } from './timeline/anchor';

export function ChainCards({ cards }: { cards: readonly StageCard[] }) {
  return (
    <Box component="section" aria-labelledby="chain-title">
      <Typography id="chain-title" component="h2" variant="h6" sx={{ mb: 1 }}>
        Chain
      </Typography>
      <Box component="ol" sx={chain}>
        {cards.map((card) => (
          <Stage key={card.stageId} card={card} />
        ))}
      </Box>
    </Box>
  );
}

function Stage({ card }: { card: StageCard }) {
  return (
    <Paper
      component="li"
      variant="outlined"
      aria-label={`Stage ${card.number}: ${card.name}, ${card.look.label}`}
      sx={{
        ...stage,
        flexGrow: Math.max(1, card.agents.length),
        borderStyle: card.isSkipped ? 'dashed' : 'solid',
        borderTop: 3,
        borderTopColor: toneColors[card.look.tone],
      }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 1, alignItems: 'baseline', mb: 0.75 }}>
        <Box sx={{ fontWeight: 650, flex: 1, overflowWrap: 'anywhere' }}>
          {card.hasStarted ? (
            <Box component="a" href={`#${stageAnchor(card.stageId)}`} sx={link}>
              {card.number}. {card.name}
            </Box>
          ) : (
            `${card.number}. ${card.name}`
          )}
        </Box>
        <Box sx={{ fontSize: 12 }}>
          <Status look={card.look} size={14} />
        </Box>
        {card.duration && <Box sx={{ fontSize: 12, color: 'text.secondary' }}>{card.duration}</Box>}
      </Box>
      {card.reason && <Box sx={{ ...small, mb: 0.75 }}>{card.reason}</Box>}
      {card.error && <Box sx={{ ...small, mb: 0.75, color: 'error.main' }}>{card.error}</Box>}
      {!card.isSkipped && (
        <Box sx={agents}>
          {card.agents.map((agent) => (
            <Agent key={agent.key} agent={agent} isAlone={card.agents.length === 1} />
          ))}
        </Box>
      )}
    </Paper>
  );
}

function Agent({ agent, isAlone }: { agent: AgentCard; isAlone: boolean }) {
  return (
    <Box sx={isAlone ? {} : { border: 1, borderColor: 'divider', borderRadius: 1, px: 1, py: 0.75 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 1, fontSize: 13 }}>
        <Box sx={{ fontWeight: 500, overflowWrap: 'anywhere' }}>{agent.name}</Box>
        {!isAlone && (
          <Box sx={{ fontSize: 12 }}>
            <Status look={agent.look} size={13} />
          </Box>
        )}
      </Box>
      {agent.details.length > 0 && <Box sx={small}>{agent.details.join(' · ')}</Box>}
      {agent.error && <Box sx={{ ...small, color: 'error.main' }}>{agent.error}</Box>}
    </Box>
  );
}

const chain = { display: 'flex', flexWrap: 'wrap', gap: 1.5, m: 0, p: 0, listStyle: 'none' };
const stage = { flexBasis: 220, minWidth: 0, maxWidth: '100%', px: 1.5, py: 1 };
const agents = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(180px, 100%), 1fr))',
  gap: 1,
};
const small = {
  fontSize: 12,
  color: 'text.secondary',
  overflowWrap: 'anywhere',
  fontVariantNumeric: 'tabular-nums',
};
const link = { color: 'inherit', textDecoration: 'none', '&:hover': { textDecoration: 'underline' } };
