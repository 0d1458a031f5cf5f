import { describe, expect, it } from 'vitest';
import { emptyStream } from '../live/sessionStream';
import { detail, execution, stage } from '../testing/session';
import { stageCards } from './chain';

const cards = (...stages: ReturnType<typeof stage>[]) => stageCards(detail({ stages }), emptyStream);

describe('chain cards', () => {
  it('list running, pending and synthesis agents', () => {
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
      ['Two', 'Pending'],
      ['Synthesis', 'Running'],
    ]);
    expect(card?.agents.map(({ details }) => details[0])).toEqual([
      'recorded',
      undefined,
      'merges the results',
    ]);
  });

  it('show why a stage was skipped', () => {
    const [card] = cards(stage({ status: 'skipped', routing_reason: 'severity is low', executions: [] }));
    expect(card).toMatchObject({ isSkipped: true, hasStarted: false, reason: 'severity is low' });
    expect(card?.agents.map(({ look }) => look.label)).toEqual(['Skipped']);
  });

  it('show streamed statuses before the next refetch', () => {
    const stream = {
      ...emptyStream,
      stages: new Map([['stage-1', 'completed' as const]]),
      executions: new Map([['execution-1', 'failed' as const]]),
    };
    const running = stage({ status: 'active', executions: [execution({ status: 'active' })] });
    const [card] = stageCards(detail({ stages: [running] }), stream);
    expect([card?.look.label, card?.agents[0]?.look.label]).toEqual(['Completed', 'Failed']);
  });

  it('never show an older status than the server reported', () => {
    const stream = { ...emptyStream, stages: new Map([['stage-1', 'active' as const]]) };
    expect(stageCards(detail(), stream)[0]?.look.label).toBe('Completed');
  });
});
