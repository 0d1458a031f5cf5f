import { describe, expect, it } from 'vitest';
import { connectionLook, connectionOf } from './model';

const health = { status: 'ok', version: '0.1.0' } as const;
const error = new Error('The server does not answer.');

describe('the connection', () => {
  it.each([
    ['connecting before the first answer', undefined, null, 'idle', { state: 'connecting' }],
    ['connected after an answer', health, null, 'idle', { state: 'connected', version: '0.1.0' }],
    [
      'connected while the socket opens',
      health,
      null,
      'connecting',
      { state: 'connected', version: '0.1.0' },
    ],
    [
      'without news if the socket broke',
      health,
      null,
      'waiting',
      { state: 'without_news', version: '0.1.0' },
    ],
    [
      'lost when the first question fails',
      undefined,
      error,
      'idle',
      { state: 'lost', reason: error.message },
    ],
    ['lost when a later question fails', health, error, 'waiting', { state: 'lost', reason: error.message }],
  ] as const)('is %s', (_claim, data, error, live, connection) => {
    expect(connectionOf({ data, error }, live)).toEqual(connection);
  });

  it('is told by a word, not by a colour alone', () => {
    expect(connectionLook({ state: 'connecting' })).toEqual({ label: 'Connecting…', tone: 'neutral' });
    expect(connectionLook({ state: 'connected', version: '' })).toEqual({ label: 'Connected', tone: 'good' });
    expect(connectionLook({ state: 'without_news', version: '' })).toEqual({
      label: 'Reconnecting…',
      tone: 'warning',
    });
    expect(connectionLook({ state: 'lost', reason: '' })).toEqual({ label: 'Connection lost', tone: 'bad' });
  });
});
