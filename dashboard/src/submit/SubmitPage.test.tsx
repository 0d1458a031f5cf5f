import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { open } from '../testing/open';
import { errorResponse, healthy, json, serve, session } from '../testing/server';

const types = {
  '/health': healthy,
  '/api/v1/alert-types': json({
    default_alert_type: 'kubernetes',
    alert_types: [
      { alert_type: 'kubernetes', chain_id: 'kubernetes-chain', description: 'Looks at pods' },
      { alert_type: 'NodeDown', chain_id: 'node-chain', description: null },
    ],
  }),
};
const servers = {
  '/api/v1/system/mcp-servers': json({
    mcp_servers: [
      { name: 'kubernetes', transport: 'http', state: 'ready', tools: ['kubernetes.look'], last_error: null },
    ],
  }),
};
const progress = {
  alert_id: 'a/1',
  session_id: 's',
  status: 'completed',
  progress: 100,
  message: 'The analysis is complete.',
  total_stages: 1,
  completed_stages: 1,
  stage_progress: [{ stage: 'look', agent: 'A', status: 'completed', duration_ms: 10, error: null }],
  result: 'It was **the disk**.',
  error: null,
};
const accepted = json({ session_id: 's', alert_id: 'a/1', status: 'queued', message: '' }, 202);

const field = (name: string | RegExp) => screen.findByRole('textbox', { name });
const send = () => userEvent.click(screen.getByRole('button', { name: 'Submit alert' }));

describe('submit page', () => {
  it('submits an alert and shows its progress', async () => {
    const responses = { ...types, '/api/v1/alerts': accepted, '/processing-status/a%2F1': json(progress) };
    const requests = serve(responses);
    open('/submit');
    await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'Alert type' }), 'NodeDown');
    expect(screen.getByText('Chain node-chain')).toBeTruthy();
    await userEvent.type(await field(/^Alert data/), 'The disk is full');
    expect(await screen.findByText('Sent as plain text.')).toBeTruthy();
    await send();

    expect(await screen.findByRole('heading', { name: 'Analysis' })).toBeTruthy();
    expect(screen.getByText('the disk').tagName).toBe('STRONG');
    expect(screen.getByRole('link', { name: 'Open session' }).getAttribute('href')).toBe('/sessions/s');
    expect(requests.find(({ method }) => method === 'POST')?.body).toEqual({
      alert_type: 'NodeDown',
      data: 'The disk is full',
    });
  });

  it('shows the detected format and the line of a syntax error', async () => {
    serve(types);
    open('/submit');
    await userEvent.click(await screen.findByRole('button', { name: 'JSON' }));
    expect(await screen.findByText('Detected as JSON.')).toBeTruthy();
    await userEvent.type(await field(/^Alert data/), ',');
    expect(await screen.findByText(/Invalid JSON in line 8, column 2/)).toBeTruthy();
  });

  it('rejects empty data', async () => {
    const requests = serve(types);
    open('/submit');
    await field(/^Alert data/);
    await send();
    expect(await screen.findByText(/Enter the alert data/)).toBeTruthy();
    expect(requests.some(({ method }) => method === 'POST')).toBe(false);
  });

  it('shows a server error at its field', async () => {
    serve({ ...types, '/api/v1/alerts': errorResponse(400, 'runbook: it is not an address') });
    open('/submit');
    await userEvent.type(await field(/^Alert data/), 'x');
    await send();
    expect(await screen.findByText('It is not an address.')).toBeTruthy();
    expect((await field('Runbook')).getAttribute('aria-invalid')).toBe('true');
  });

  it('explains a missing permission', async () => {
    serve({ ...types, '/api/v1/alerts': errorResponse(403, 'this requires the role `operator`') });
    open('/submit');
    await userEvent.type(await field(/^Alert data/), 'x');
    await send();
    expect((await screen.findByRole('alert')).textContent).toContain('This requires the role `operator`.');
  });

  it('starts with the alert of an earlier session', async () => {
    const input = {
      alert_data: 'the old alert',
      runbook: 'https://x/y',
      mcp: { servers: [{ name: 'kubernetes' }] },
    };
    serve({ ...types, ...servers, '/api/v1/sessions/s1': json({ ...session(), alert_type: 'gone', input }) });
    open('/submit?from=s1');
    expect(((await field(/^Alert data/)) as HTMLTextAreaElement).value).toBe('the old alert');
    expect((screen.getByRole('combobox', { name: 'Alert type' }) as HTMLSelectElement).value).toBe('gone');
    const tools = within(await screen.findByRole('group', { name: 'Tools of kubernetes' }));
    expect((tools.getByRole('checkbox', { name: 'look' }) as HTMLInputElement).checked).toBe(true);
  });
});
