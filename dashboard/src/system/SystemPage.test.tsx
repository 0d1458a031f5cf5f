import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { open } from '../testing/open';
import { errorResponse, healthy, json, serve } from '../testing/server';

const ready = {
  status: 'not_ready',
  database: 'unreachable',
  workers: { configured: 4, running: 4, busy: 1 },
  mcp_servers: [],
  providers: [{ name: 'google-default', usable: true }],
};
const server = {
  name: 'kubernetes',
  transport: 'http',
  state: 'failed',
  tools: ['kubernetes.pods_list'],
  last_error: 'connection refused',
  protocol_version: null,
  server: null,
};
const responses = {
  '/health': healthy,
  '/ready': json(ready, 503),
  '/api/v1/system/mcp-servers': json({ mcp_servers: [server] }),
  '/api/v1/system/warnings': json({
    warnings: [
      { category: 'config', subject: 'queue.worker_count', message: 'it is more than there are cores' },
    ],
  }),
  '/api/v1/system/config': json({ config: { queue: { worker_count: 4 } } }),
};

describe('system page', () => {
  it('shows all sections, also when the server is not ready', async () => {
    serve(responses);
    open('/system');
    expect(await screen.findByText('Not ready')).toBeTruthy();
    expect(screen.getByText('google-default')).toBeTruthy();
    const card = within(await screen.findByRole('article', { name: 'kubernetes' }));
    expect(card.getByText('Unavailable')).toBeTruthy();
    expect(card.getByText('connection refused')).toBeTruthy();
    expect(card.getByText('pods_list')).toBeTruthy();
    expect((await screen.findByRole('alert')).textContent).toContain('Configuration: queue.worker_count');
  });

  it('shows a configuration section as YAML', async () => {
    serve(responses);
    open('/system');
    await userEvent.click(await screen.findByText('queue'));
    expect(await screen.findByText(/worker_count: 4/)).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Copy the section queue' })).toBeTruthy();
  });

  it('shows a missing permission only in its section', async () => {
    serve({ ...responses, '/api/v1/system/config': errorResponse(403, 'this requires the role `admin`') });
    open('/system');
    const section = await screen.findByRole('region', { name: 'Configuration' });
    expect(await within(section).findByText('Permission denied')).toBeTruthy();
    expect(await screen.findByRole('article', { name: 'kubernetes' })).toBeTruthy();
  });
});
