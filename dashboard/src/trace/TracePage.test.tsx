import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { open } from '../testing/open';
import { errorResponse, healthy, json, serve, session } from '../testing/server';

const AT = Date.UTC(2026, 0, 2, 3, 4, 5) * 1000;
const usage = { input_tokens: 4_200, output_tokens: 140, thinking_tokens: 60, cached_tokens: 1_000 };
const call = { execution_id: 'x', step: 1, started_at_us: AT, duration_ms: 2_000, error_message: null };
const model = {
  ...call,
  type: 'llm',
  interaction_id: 'm',
  kind: 'iteration',
  iteration: 1,
  provider: 'google',
  model: 'gemini',
  usage,
  error_kind: null,
};
const tool = {
  ...call,
  type: 'mcp',
  interaction_id: 't',
  kind: 'tool_call',
  server: 'kubernetes',
  tool: 'pods_list',
  tool_call_id: 'call-1',
  error_message: 'connection refused',
};
const responses = {
  '/health': healthy,
  '/api/v1/sessions/s': json({
    ...session({ session_id: 's' }),
    stages: [
      { name: 'collect', stage_id: 'stage', executions: [{ execution_id: 'x', agent_name: 'PodAgent' }] },
    ],
    executions: [],
  }),
  '/api/v1/sessions/s/trace': json({ interactions: [model, tool] }),
  '/api/v1/sessions/s/trace/llm/m': json({
    ...model,
    conversation: [
      { role: 'system', content: 'You are an agent.' },
      { role: 'user', content: '<script>alert(1)</script>' },
    ],
    reply: { text: 'It is out of memory.', usage },
    failure: null,
  }),
  '/api/v1/sessions/s/trace/mcp/t': json({
    ...tool,
    arguments: '{"namespace":"shop"}',
    result: null,
    told: null,
  }),
};

describe('trace page', () => {
  it('lists every call and marks failed ones', async () => {
    // The test DOM has no layout, and a virtual list without a height renders no rows.
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
    serve(responses);
    open('/sessions/s/trace');
    expect(
      await screen.findByText('1 model call · 1 tool call · 1 failed · 4.3K tokens · 2.0 s'),
    ).toBeTruthy();
    const calls = within(await screen.findByRole('region', { name: 'Calls' }));
    const names = calls.getAllByRole('link').map((link) => link.textContent);
    expect(names[0]).toContain('gemini');
    expect(names[1]).toContain('Failed');
    expect(screen.getByRole('heading', { name: 'Select a call' })).toBeTruthy();
  });

  it('shows the conversation as text', async () => {
    serve(responses);
    open('/sessions/s/trace?call=m');
    const panel = within(await screen.findByRole('region', { name: 'Selected call' }));
    expect(await panel.findByText('<script>alert(1)</script>')).toBeTruthy();
    expect(panel.getByText('It is out of memory.')).toBeTruthy();
    expect(panel.getByRole('link', { name: 'collect · PodAgent in the timeline' }).getAttribute('href')).toBe(
      '/sessions/s#stage-stage',
    );
    await userEvent.click(panel.getByRole('tab', { name: 'Raw response' }));
    expect(panel.getByText(/"text": "It is out of memory."/)).toBeTruthy();
    expect(panel.getByRole('button', { name: 'Copy the response' })).toBeTruthy();
  });

  it('opens the call that the timeline links to', async () => {
    serve(responses);
    open('/sessions/s/trace?call=x%3Acall-1');
    const panel = within(await screen.findByRole('region', { name: 'Selected call' }));
    expect(await panel.findByText(/"namespace": "shop"/)).toBeTruthy();
    expect(panel.getAllByText('connection refused').length).toBeGreaterThan(0);
  });

  it('selects calls with the keyboard', async () => {
    serve(responses);
    open('/sessions/s/trace');
    await screen.findByRole('region', { name: 'Calls' });
    await userEvent.keyboard('jj');
    expect(await screen.findByRole('heading', { name: 'kubernetes.pods_list' })).toBeTruthy();
  });

  it('reports an unknown session', async () => {
    const notFound = errorResponse(404, 'there is no session s');
    serve({ ...responses, '/api/v1/sessions/s': notFound, '/api/v1/sessions/s/trace': notFound });
    open('/sessions/s/trace');
    expect(await screen.findByRole('heading', { name: 'Not found' })).toBeTruthy();
  });
});
