import { describe, expect, it } from 'vitest';
import { emptyStream } from '../live/sessionStream';
import { detail, execution, stage } from '../testing/session';
import { stageCards } from './chain';

const cards = (...stages: ReturnType<typeof stage>[]) => stageCards(detail({ stages }), emptyStream);

describe('the cards of a chain', () => {
  it('have an agent for each that works, waits, and puts the results together', () => {
    const [card] = cards(
      stage({
        status: 'active',
        agents: ['One', 'Two'],
        executions: [
          execution({ agent_name: 'One', status: 'active', duration_ms: null }),
          execution({ execution_id: 's', kind: 'synthesis', agent_name: 'Synthesis', status: 'active' }),
        ],
      }),
    );
    expect(card?.agents.map(({ name, look }) => [name, look.label])).toEqual([
      ['One', 'Running'],
      ['Two', 'Waiting'],
      ['Synthesis', 'Running'],
    ]);
    expect(card?.agents.map(({ remarks }) => remarks[0])).toEqual([
      'recorded',
      undefined,
      'puts the results together',
    ]);
  });

  it('say why a branch was skipped', () => {
    const [card] = cards(stage({ status: 'skipped', routing_reason: 'severity is low', executions: [] }));
    expect(card).toMatchObject({ isSkipped: true, hasBegun: false, reason: 'severity is low' });
    expect(card?.agents.map(({ look }) => look.label)).toEqual(['Skipped']);
  });

  it('show what was heard before the server was asked again', () => {
    const stream = {
      ...emptyStream,
      stages: new Map([['stage-1', 'completed' as const]]),
      executions: new Map([['execution-1', 'failed' as const]]),
    };
    const running = stage({ status: 'active', executions: [execution({ status: 'active' })] });
    const [card] = stageCards(detail({ stages: [running] }), stream);
    expect([card?.look.label, card?.agents[0]?.look.label]).toEqual(['Completed', 'Failed']);
  });

  it('never show work as less far than the server said', () => {
    const stream = { ...emptyStream, stages: new Map([['stage-1', 'active' as const]]) };
    expect(stageCards(detail(), stream)[0]?.look.label).toBe('Completed');
  });
});
