import { describe, expect, it } from 'vitest';
import type { SessionDetail, TracedCall } from '../api/types';
import { findCall, traceTable } from './model';

const AT = Date.UTC(2026, 0, 2, 3, 4, 5) * 1000;
const usage = { input_tokens: 4_200, output_tokens: 140, thinking_tokens: 60, cached_tokens: 1_000 };
const model: TracedCall = {
  type: 'llm',
  interaction_id: 'm',
  execution_id: 'x',
  step: 1,
  kind: 'iteration',
  iteration: 2,
  provider: 'google',
  model: 'gemini',
  started_at_us: AT,
  duration_ms: 2_000,
  usage,
  error_kind: null,
  error_message: null,
};
const tool: TracedCall = {
  type: 'mcp',
  interaction_id: 't',
  execution_id: 'y',
  step: 2,
  kind: 'tool_call',
  server: 'kubernetes',
  tool: 'pods_list',
  tool_call_id: 'call-1',
  started_at_us: AT + 2_000_000,
  duration_ms: 2_000,
  error_message: 'connection refused',
};
const session = {
  stages: [{ name: 'collect', stage_id: 's1', executions: [{ execution_id: 'x', agent_name: 'PodAgent' }] }],
  executions: [{ execution_id: 'y', agent_name: 'ChatAgent' }],
} as unknown as SessionDetail;

describe('trace', () => {
  it('has a row for each call with its caller', () => {
    const [first, second] = traceTable([model, tool], session).rows;
    expect(first).toMatchObject({
      id: 'm',
      name: 'gemini',
      purpose: 'iteration 2',
      caller: 'collect · PodAgent',
      stageId: 's1',
      look: { label: 'Succeeded' },
      offset: '+0 ms',
      duration: '2.0 s',
      tokens: { text: '4.2K → 140', detail: '4,200 in (1,000 cached), 140 out (60 thinking)' },
      bar: { from: 0, length: 0.5 },
    });
    expect(second).toMatchObject({
      name: 'kubernetes.pods_list',
      purpose: 'tool call',
      caller: 'ChatAgent',
      look: { label: 'Failed' },
      error: 'connection refused',
      offset: '+2.0 s',
      tokens: null,
      bar: { from: 0.5, length: 0.5 },
    });
  });

  it('shows failed model attempts without a message', () => {
    const refused: TracedCall = { ...model, error_kind: 'rate_limit' };
    expect(traceTable([refused], session).rows[0]).toMatchObject({
      look: { label: 'Failed' },
      error: 'rate limit',
    });
  });

  it('has totals', () => {
    expect(traceTable([model, tool], session).summary).toBe(
      '1 model call · 1 tool call · 1 failed · 4.3K tokens · 4.0 s',
    );
    expect(traceTable([], undefined)).toMatchObject({
      rows: [],
      summary: '0 model calls · 0 tool calls · 0 tokens · 0 ms',
    });
  });

  it('renders before the callers are known', () => {
    expect(traceTable([model], undefined).rows[0]?.caller).toBe('');
  });
});

describe('call in the URL', () => {
  it.each([
    ['t', 't'],
    ['y:call-1', 't'],
    ['x:call-1', null],
    [undefined, null],
  ])('finds %s', (name, id) => {
    expect(findCall([model, tool], name)?.interaction_id ?? null).toBe(id);
  });
});
