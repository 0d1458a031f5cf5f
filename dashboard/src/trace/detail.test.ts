import { describe, expect, it } from 'vitest';
import type { LlmInteraction, McpInteraction } from '../api/types';
import { llmDetail, mcpDetail } from './detail';

const usage = { input_tokens: 1, output_tokens: 1, thinking_tokens: 0, cached_tokens: 0 };
const llm = (over: Partial<LlmInteraction>): LlmInteraction => ({
  interaction_id: 'm',
  execution_id: 'x',
  step: 1,
  kind: 'iteration',
  iteration: 1,
  provider: 'google',
  model: 'gemini',
  started_at_us: 0,
  duration_ms: 1,
  usage,
  error_kind: null,
  error_message: null,
  conversation: [
    { role: 'system', content: 'You are an agent.' },
    { role: 'tool', content: 'OOMKilled', tool_name: 'kubernetes.pods_list' },
  ],
  reply: null,
  failure: null,
  ...over,
});

describe('model call', () => {
  it('shows the conversation, then the reply', () => {
    const reply = {
      text: 'It is out of memory.',
      thinking: 'Hm.',
      tool_calls: [{ id: '1', name: 'kubernetes.logs', arguments: '{"pod":"a"}' }],
      usage,
    };
    const { parts, response } = llmDetail(llm({ reply }));
    expect(parts.map(({ title, isResponse, isOpen }) => [title, isResponse, isOpen])).toEqual([
      ['System', false, false],
      ['Tool result · kubernetes.pods_list', false, true],
      ['Reply', true, true],
    ]);
    expect(parts.at(-1)?.blocks).toEqual([
      { label: 'Thinking', text: 'Hm.' },
      { label: null, text: 'It is out of memory.' },
      { label: 'Calls kubernetes.logs', text: '{\n  "pod": "a"\n}' },
    ]);
    expect(JSON.parse(response)).toEqual(reply);
  });

  it('shows the error and the partial reply of a failed call', () => {
    const failure = { kind: 'overloaded', message: 'Too busy.', partial_text: 'It is' } as const;
    expect(llmDetail(llm({ failure })).parts.at(-1)).toMatchObject({
      title: 'No reply: overloaded',
      speaker: 'failure',
      blocks: [{ text: 'Too busy.' }, { label: 'Partial reply', text: 'It is' }],
    });
  });

  it('shows that a call was cancelled', () => {
    expect(llmDetail(llm({ error_message: 'cancelled' })).parts.at(-1)?.blocks).toEqual([
      { label: null, text: 'cancelled' },
    ]);
  });
});

describe('tool call', () => {
  const mcp = (over: Partial<McpInteraction>): McpInteraction => ({
    interaction_id: 't',
    execution_id: 'x',
    step: 1,
    kind: 'tool_call',
    server: 'kubernetes',
    tool: 'logs',
    tool_call_id: '1',
    started_at_us: 0,
    duration_ms: 1,
    error_message: null,
    arguments: '{"pod":"a"}',
    result: 'long',
    told: null,
    ...over,
  });
  const titles = (over: Partial<McpInteraction>) => mcpDetail(mcp(over)).parts.map((part) => part.title);

  it('shows arguments and result', () => {
    expect(titles({})).toEqual(['Arguments', 'Result (masked)']);
  });

  it('shows the delivered result if it differs', () => {
    const delivered = { call_id: '1', content: 'short', status: 'ok' } as const;
    expect(titles({ told: delivered })).toEqual([
      'Arguments',
      'Result (masked)',
      'Result as delivered to the agent',
    ]);
    expect(titles({ told: { ...delivered, content: 'long' } })).toEqual(['Arguments', 'Result (masked)']);
  });

  it('keeps arguments that are not JSON', () => {
    const { parts, request } = mcpDetail(
      mcp({ arguments: '{broken', result: null, error_message: 'bad arguments' }),
    );
    expect(parts.map((part) => part.blocks[0]?.text)).toEqual(['{broken', 'bad arguments']);
    expect(JSON.parse(request).arguments).toBe('{broken');
  });
});
