import { describe, expect, it } from 'vitest';
import type { McpServer } from '../api/types';
import { serverChoices, serverToggled, toolToggled } from './servers';

const kubernetes: McpServer = {
  name: 'kubernetes',
  transport: 'http',
  state: 'ready',
  tools: ['kubernetes.look', 'kubernetes.logs'],
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

describe('the choice of servers', () => {
  it('has what the configuration has, by the names of the servers', () => {
    const [first, second] = serverChoices([kubernetes, metrics], {});
    expect(first).toEqual({
      name: 'kubernetes',
      isChosen: false,
      hasAllTools: false,
      tools: [
        { name: 'look', isChosen: false },
        { name: 'logs', isChosen: false },
      ],
      remark: '2 tools',
    });
    expect(second?.remark).toBe('cannot be used now: no route');
  });

  it('keeps what an earlier session had chosen and nobody knows any more', () => {
    const choices = serverChoices([kubernetes], { gone: 'all', kubernetes: ['old'] });
    expect(choices.map(({ name, isChosen }) => [name, isChosen])).toEqual([
      ['kubernetes', true],
      ['gone', true],
    ]);
    expect(choices[0]?.tools.at(-1)).toEqual({ name: 'old', isChosen: true });
  });

  it('takes a server with all its tools, and gives it up again', () => {
    const taken = serverToggled({}, 'kubernetes');
    expect(taken).toEqual({ kubernetes: 'all' });
    expect(serverToggled(taken, 'kubernetes')).toEqual({});
  });

  it('gives up one tool of all, and has all again when it comes back', () => {
    const of = (choices: Parameters<typeof serverChoices>[1]) => {
      const [server] = serverChoices([kubernetes], choices);
      if (!server) throw new Error('there is a server');
      return server;
    };
    const fewer = toolToggled({ kubernetes: 'all' }, of({ kubernetes: 'all' }), 'look');
    expect(fewer).toEqual({ kubernetes: ['logs'] });
    expect(toolToggled(fewer, of(fewer), 'look')).toEqual({ kubernetes: 'all' });
  });
});
