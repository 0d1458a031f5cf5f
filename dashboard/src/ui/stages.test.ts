import { describe, expect, it } from 'vitest';
import type { StageProgress } from '../api/types';
import { stageLines } from './stages';

const agent = (over: Partial<StageProgress>): StageProgress => ({
  stage: 'look',
  agent: 'KubernetesAgent',
  status: 'completed',
  duration_ms: 4_200,
  error: null,
  ...over,
});

describe('stages', () => {
  it('group the agents of one stage', () => {
    const stages = stageLines([
      agent({ agent: 'A' }),
      agent({ agent: 'B', status: 'active', duration_ms: null }),
      agent({ stage: 'conclude', agent: 'C', status: 'pending', duration_ms: null }),
    ]);
    expect(
      stages.map((stage) => [stage.name, stage.look.label, stage.agents.map((member) => member.time)]),
    ).toEqual([
      ['look', 'Running', ['4.2 s', 'Running…']],
      ['conclude', 'Pending', ['']],
    ]);
  });

  it('show a stage as failed when one of its agents failed', () => {
    const [stage] = stageLines([
      agent({}),
      agent({ agent: 'B', status: 'failed', error: 'no model responded' }),
    ]);
    expect(stage?.look.label).toBe('Failed');
    expect(stage?.agents[1]?.error).toBe('no model responded');
  });

  it('are empty without progress', () => {
    expect(stageLines([])).toEqual([]);
  });
});
