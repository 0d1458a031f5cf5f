import { screen, waitFor, within } from '@testing-library/react';
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
  '/api/v1/runbooks': json({ source: null, runbooks: [], truncated: false, error: null }),
};
const runbooks = {
  '/api/v1/runbooks': json({
    source: 'https://github.com/x/y',
    truncated: false,
    error: null,
    runbooks: [
      {
        name: 'disk.md',
        path: 'nodes/disk.md',
        title: 'Disk is full',
        url: 'https://github.com/x/y/blob/main/nodes/disk.md',
      },
      { name: 'pods.md', path: 'pods.md', title: 'Pods', url: 'https://github.com/x/y/blob/main/pods.md' },
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
  ended_stages: 1,
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

  it('is also at the address of the Go version of TARSy', async () => {
    serve(types);
    open('/submit-alert');
    expect(await screen.findByRole('heading', { name: 'Submit an alert' })).toBeTruthy();
    expect(await field(/^Alert data/)).toBeTruthy();
  });

  it('suggests runbooks and accepts any other text', async () => {
    const requests = serve({ ...types, ...runbooks, '/api/v1/alerts': accepted });
    open('/submit');
    await userEvent.type(await field(/^Alert data/), 'x');
    const runbook = await field('Runbook');
    await waitFor(() => expect(requests.some(({ path }) => path === '/api/v1/runbooks')).toBe(true));
    await userEvent.type(runbook, 'disk');
    const suggestion = await screen.findByRole('option', { name: /Disk is full/ });
    expect(screen.queryByRole('option', { name: /Pods/ })).toBeNull();
    expect(suggestion.textContent).toContain('nodes/disk.md');
    await userEvent.keyboard('{ArrowDown}{Enter}');
    expect((runbook as HTMLTextAreaElement).value).toBe('https://github.com/x/y/blob/main/nodes/disk.md');
    await userEvent.clear(runbook);
    await userEvent.type(runbook, 'Look at the disk.{Enter}Then look again.');
    await send();
    await waitFor(() =>
      expect(requests.find(({ method }) => method === 'POST')?.body).toEqual({
        data: 'x',
        runbook: 'Look at the disk.\nThen look again.',
      }),
    );
  });

  it.each([
    [json({ source: 'https://x', runbooks: [], truncated: false, error: 'GitHub returned 403' })],
    [errorResponse(500, 'GitHub returned 403')],
  ])('says why runbooks cannot be listed', async (response) => {
    serve({ ...types, '/api/v1/runbooks': response });
    open('/submit');
    expect(await screen.findByText(/Runbooks could not be listed\. GitHub returned 403\./)).toBeTruthy();
    expect(await field('Runbook')).toBeTruthy();
  });

  it('shows no suggestions if no runbooks are configured', async () => {
    serve(types);
    open('/submit');
    const runbook = await field('Runbook');
    await userEvent.type(runbook, 'https://x');
    expect(screen.queryByRole('listbox')).toBeNull();
    expect(screen.getByText(/^URL or text of a runbook\./)).toBeTruthy();
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
