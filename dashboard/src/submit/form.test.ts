import { describe, expect, it } from 'vitest';
import type { SessionDetail } from '../api/types';
import { session } from '../testing/server';
import { emptyForm, faultAfter, faultBefore, formOf, requestOf, type SubmitForm } from './form';

const form = (over: Partial<SubmitForm> = {}): SubmitForm => ({
  ...emptyForm,
  data: 'The disk is full',
  ...over,
});

describe('what is sent', () => {
  it('is the data alone, if nothing else is said', () => {
    expect(requestOf(form())).toEqual({ data: 'The disk is full' });
  });

  it('is the data as it was written, whatever it looks like', () => {
    expect(requestOf(form({ data: '{ "a" :1}\n' })).data).toBe('{ "a" :1}\n');
  });

  it('has the servers and tools that were chosen', () => {
    const chosen = form({ alertType: 'T', runbook: ' https://x/y ', servers: { a: 'all', b: ['look'] } });
    expect(requestOf(chosen)).toEqual({
      data: 'The disk is full',
      alert_type: 'T',
      runbook: 'https://x/y',
      mcp: { servers: [{ name: 'a' }, { name: 'b', tools: ['look'] }] },
    });
  });
});

describe('a session sent again', () => {
  const detail = (mcp: object | null) =>
    ({ ...session(), input: { alert_data: 'text', runbook: null, mcp } }) as unknown as SessionDetail;

  it('has the same alert', () => {
    expect(formOf(detail(null))).toEqual({ ...emptyForm, alertType: 'PodFailure', data: 'text' });
  });

  it('keeps its choice of tools', () => {
    const mcp = {
      servers: [{ name: 'a' }, { name: 'b', tools: ['look'] }],
      native_tools: { google_search: true },
    };
    expect(requestOf(formOf(detail(mcp))).mcp).toEqual(mcp);
  });
});

describe('a fault', () => {
  it.each<[Partial<SubmitForm>, string | null]>([
    [{}, null],
    [{ data: ' \n' }, 'data'],
    [{ servers: {} }, 'servers'],
    [{ servers: { a: [] } }, 'servers'],
    [{ servers: { a: ['look'] } }, null],
  ])('of %j is seen before sending', (over, field) => {
    expect(faultBefore(form(over))?.field ?? null).toBe(field);
  });

  it.each([
    [
      'alert_type: unknown alert type `x`, known are `y`',
      'alertType',
      'Unknown alert type `x`, known are `y`.',
    ],
    ['mcp.servers[0].name: unknown server `x`', 'servers', 'Unknown server `x`.'],
    [
      'data is larger than the limit of 1048576 bytes',
      'data',
      'Data is larger than the limit of 1048576 bytes.',
    ],
    ['runbook: it is empty', 'runbook', 'It is empty.'],
    ['body: missing field `data`', null, 'Body: missing field `data`.'],
    ['The server does not answer.', null, 'The server does not answer.'],
  ])('that the server tells as %j is shown where it belongs', (message, field, problem) => {
    expect(faultAfter(new Error(message))).toEqual({ field, problem });
  });
});
