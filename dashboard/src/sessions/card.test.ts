import { describe, expect, it } from 'vitest';
import type { StageProgress } from '../api/types';
import { session } from '../testing/server';
import { cardStages, sessionCard } from './card';

const agent = (over: Partial<StageProgress>): StageProgress => ({
  stage: 'look',
  agent: 'KubernetesAgent',
  status: 'completed',
  duration_ms: 4_200,
  error: null,
  ...over,
});

describe('the card of a session', () => {
  it('says how far it is and what it does', () => {
    const running = session({ status: 'in_progress', current_step: 'asking the model' });
    expect(sessionCard(running)).toMatchObject({
      title: 'PodFailure',
      progress: '2 of 4 stages',
      step: 'asking the model',
      look: { label: 'Running' },
    });
  });

  it('has agents of one stage together', () => {
    const stages = cardStages([
      agent({ agent: 'A' }),
      agent({ agent: 'B', status: 'active', duration_ms: null }),
      agent({ stage: 'conclude', agent: 'C', status: 'pending', duration_ms: null }),
    ]);
    expect(
      stages.map((stage) => [stage.name, stage.look.label, stage.agents.map((member) => member.time)]),
    ).toEqual([
      ['look', 'Running', ['4.2 s', 'Running…']],
      ['conclude', 'Waiting', ['']],
    ]);
  });

  it('shows a stage as failed when one of its agents is, and says why', () => {
    const [stage] = cardStages([
      agent({}),
      agent({ agent: 'B', status: 'failed', error: 'no model answered' }),
    ]);
    expect(stage?.look.label).toBe('Failed');
    expect(stage?.agents[1]?.error).toBe('no model answered');
  });

  it('draws nothing where nothing is known yet', () => {
    expect(cardStages([])).toEqual([]);
  });
});
