import { describe, expect, it } from 'vitest';
import type { McpServer, ReadyResponse } from '../api/types';
import { providerRows, readyFacts, serverRow, warningTitle } from './model';

const ready: ReadyResponse = {
  status: 'ready',
  database: 'reachable',
  workers: { configured: 4, running: 4, busy: 1 },
  mcp_servers: [],
  providers: [
    { name: 'openai', usable: false },
    { name: 'google', usable: true },
  ],
};
const server: McpServer = {
  name: 'kubernetes',
  transport: 'http',
  state: 'ready',
  tools: ['kubernetes.pods_list'],
  tool_details: [],
  last_error: 'connection refused',
  protocol_version: '2025-11-25',
  server: 'kube 1.2',
};

describe('server facts', () => {
  const workers = (over: Partial<ReadyResponse['workers']>) =>
    readyFacts({ ...ready, workers: { ...ready.workers, ...over } }, '0.1.0')[2]?.value;

  it('include readiness and version', () => {
    expect(readyFacts({ ...ready, status: 'not_ready', database: 'unreachable' }, '0.1.0')).toMatchObject([
      { name: 'Readiness', value: { label: 'Not ready', tone: 'bad' } },
      { name: 'Database', value: { label: 'Unreachable', tone: 'bad' } },
      { name: 'Workers' },
      { name: 'Version', value: '0.1.0' },
    ]);
  });

  it('count workers', () => {
    expect([workers({}), workers({ running: 2 }), workers({ configured: 0, running: 0 })]).toEqual([
      '4 running, 1 busy',
      '2 of 4 running, 1 busy',
      'None (this process only serves requests)',
    ]);
  });

  it('list usable providers first', () => {
    expect(providerRows(ready).map((row) => [row.name, row.look.label])).toEqual([
      ['google', 'Ready'],
      ['openai', 'Not configured'],
    ]);
  });
});

describe('MCP server', () => {
  it('shows its transport, version and tools', () => {
    expect(serverRow(server)).toMatchObject({
      look: { label: 'Ready' },
      summary: 'http · kube 1.2 · MCP 2025-11-25',
      tools: ['pods_list'],
      lastError: { text: 'connection refused', isResolved: true },
    });
  });

  it('shows the error of a failed server', () => {
    const failed = serverRow({ ...server, state: 'failed', server: null, protocol_version: null });
    expect(failed).toMatchObject({
      summary: 'http',
      lastError: { isResolved: false },
      look: { tone: 'bad' },
    });
  });
});

describe('warning', () => {
  it('names its subject', () => {
    expect(warningTitle({ category: 'mcp_server', subject: 'metrics', message: '' })).toBe(
      'MCP server: metrics',
    );
  });
});
