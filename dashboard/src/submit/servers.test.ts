import { describe, expect, it } from 'vitest';
import type { McpServer } from '../api/types';
import { serverChoices, toggleServer, toggleTool } from './servers';

const kubernetes: McpServer = {
  name: 'kubernetes',
  transport: 'http',
  state: 'ready',
  tools: ['kubernetes.look', 'kubernetes.logs'],
  tool_details: [],
  last_error: null,
  protocol_version: null,
  server: null,
};
const metrics: McpServer = {
  ...kubernetes,
  name: 'metrics',
  state: 'failed',
  tools: [],
  last_error: 'no route',
};

describe('server selection', () => {
  it('lists the configured servers', () => {
    const [first, second] = serverChoices([kubernetes, metrics], {});
    expect(first).toEqual({
      name: 'kubernetes',
      isChosen: false,
      hasAllTools: false,
      tools: [
        { name: 'look', isChosen: false },
        { name: 'logs', isChosen: false },
      ],
      note: '2 tools',
    });
    expect(second?.note).toBe('unavailable: no route');
  });

  it('keeps servers and tools of an earlier session that no longer exist', () => {
    const choices = serverChoices([kubernetes], { gone: 'all', kubernetes: ['old'] });
    expect(choices.map(({ name, isChosen }) => [name, isChosen])).toEqual([
      ['kubernetes', true],
      ['gone', true],
    ]);
    expect(choices[0]?.tools.at(-1)).toEqual({ name: 'old', isChosen: true });
  });

  it('toggles a server with all its tools', () => {
    const taken = toggleServer({}, 'kubernetes');
    expect(taken).toEqual({ kubernetes: 'all' });
    expect(toggleServer(taken, 'kubernetes')).toEqual({});
  });

  it('toggles one tool of a server', () => {
    const of = (choices: Parameters<typeof serverChoices>[1]) => {
      const [server] = serverChoices([kubernetes], choices);
      if (!server) throw new Error('no server');
      return server;
    };
    const fewer = toggleTool({ kubernetes: 'all' }, of({ kubernetes: 'all' }), 'look');
    expect(fewer).toEqual({ kubernetes: ['logs'] });
    expect(toggleTool(fewer, of(fewer), 'look')).toEqual({ kubernetes: 'all' });
  });
});
