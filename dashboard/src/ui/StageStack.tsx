/** A vertical list of stages with their agents: status, duration and errors. */
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import { Icon } from './Icon';
import type { AgentLine, StageLine } from './stages';
import type { StatusLook } from './status';
import { toneColors } from './tone';
import { visuallyHidden } from './visuallyHidden';

const LINE_PX = 22;

export interface StageStackProps {
  stages: readonly StageLine[];
  /** Expected number of stages, to reserve space while loading. */
  expected: number;
}

export function StageStack({ stages, expected }: StageStackProps) {
  if (stages.length === 0) return <Skeleton variant="rounded" height={Math.max(1, expected) * LINE_PX} />;
  return (
    <Box component="ol" aria-label="Stages" sx={{ m: 0, p: 0, listStyle: 'none', fontSize: 12.5 }}>
      {stages.map((stage) => (
        <Box component="li" key={stage.name}>
          {stage.agents.length === 1 ? (
            <Line look={stage.look} name={stage.name} agent={stage.agents[0]} />
          ) : (
            <>
              <Line look={stage.look} name={stage.name} agent={undefined} />
              <Box
                component="ul"
                aria-label={`Agents of ${stage.name}`}
                sx={{ m: 0, pl: 2.5, listStyle: 'none' }}
              >
                {stage.agents.map((agent) => (
                  <li key={agent.name}>
                    <Line look={agent.look} name={agent.name} agent={{ ...agent, name: '' }} />
                  </li>
                ))}
              </Box>
            </>
          )}
        </Box>
      ))}
    </Box>
  );
}

function Line({ look, name, agent }: { look: StatusLook; name: string; agent: AgentLine | undefined }) {
  return (
    <>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.75, minHeight: LINE_PX, minWidth: 0 }}>
        <Mark look={look} />
        <Box component="span" title={name} sx={{ ...cut, fontWeight: look.tone === 'active' ? 600 : 400 }}>
          {name}
        </Box>
        <Box
          component="span"
          title={agent?.name}
          sx={{ ...cut, flex: 1, color: 'text.secondary', fontSize: 12 }}
        >
          {agent?.name}
        </Box>
        <Box
          component="span"
          sx={{ color: 'text.secondary', whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}
        >
          {agent?.time}
        </Box>
      </Box>
      {agent?.error && (
        <Box
          component="bdi"
          title={agent.error}
          sx={{ ...cut, display: 'block', pl: 2.5, color: 'error.main' }}
        >
          {agent.error}
        </Box>
      )}
    </>
  );
}

function Mark({ look }: { look: StatusLook }) {
  return (
    <Box component="span" title={look.label} sx={{ display: 'inline-flex', color: toneColors[look.tone] }}>
      <Icon name={look.mark} size={14} turns={look.tone === 'active'} />
      <Box component="span" sx={visuallyHidden}>
        {look.label}
      </Box>
    </Box>
  );
}

const cut = { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap', minWidth: 0 } as const;
