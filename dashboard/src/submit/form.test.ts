import { describe, expect, it } from 'vitest';
import type { SessionDetail } from '../api/types';
import { session } from '../testing/server';
import { emptyForm, formErrorOf, formFromSession, requestOf, type SubmitForm, validateForm } from './form';

const form = (over: Partial<SubmitForm> = {}): SubmitForm => ({
  ...emptyForm,
  data: 'The disk is full',
  ...over,
});

describe('request', () => {
  it('contains only the data by default', () => {
    expect(requestOf(form())).toEqual({ data: 'The disk is full' });
  });

  it('keeps the data unchanged', () => {
    expect(requestOf(form({ data: '{ "a" :1}\n' })).data).toBe('{ "a" :1}\n');
  });

  it('contains the selected servers and tools', () => {
    const chosen = form({ alertType: 'T', runbook: ' https://x/y ', servers: { a: 'all', b: ['look'] } });
    expect(requestOf(chosen)).toEqual({
      data: 'The disk is full',
      alert_type: 'T',
      runbook: 'https://x/y',
      mcp: { servers: [{ name: 'a' }, { name: 'b', tools: ['look'] }] },
    });
  });
});

describe('resubmitted session', () => {
  const detail = (mcp: object | null) =>
    ({ ...session(), input: { alert_data: 'text', runbook: null, mcp } }) as unknown as SessionDetail;

  it('has the same alert', () => {
    expect(formFromSession(detail(null))).toEqual({ ...emptyForm, alertType: 'PodFailure', data: 'text' });
  });

  it('keeps its tool selection', () => {
    const mcp = {
      servers: [{ name: 'a' }, { name: 'b', tools: ['look'] }],
      native_tools: { google_search: true },
    };
    expect(requestOf(formFromSession(detail(mcp))).mcp).toEqual(mcp);
  });
});

describe('form error', () => {
  it.each<[Partial<SubmitForm>, string | null]>([
    [{}, null],
    [{ data: ' \n' }, 'data'],
    [{ servers: {} }, 'servers'],
    [{ servers: { a: [] } }, 'servers'],
    [{ servers: { a: ['look'] } }, null],
  ])('validates %j', (over, field) => {
    expect(validateForm(form(over))?.field ?? null).toBe(field);
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
    ['The server does not respond.', null, 'The server does not respond.'],
  ])('maps server message %j to its field', (message, field, problem) => {
    expect(formErrorOf(new Error(message))).toEqual({ field, problem });
  });
});
