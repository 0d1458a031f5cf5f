import { describe, expect, it } from 'vitest';
import { connectionLook, connectionOf } from './model';

const health = { status: 'ok', version: '0.1.0' } as const;
const error = new Error('The server does not respond.');

describe('connection state', () => {
  it.each([
    ['connecting before the first response', undefined, null, 'idle', { state: 'connecting' }],
    ['connected after a response', health, null, 'idle', { state: 'connected', version: '0.1.0' }],
    [
      'connected while the socket opens',
      health,
      null,
      'connecting',
      { state: 'connected', version: '0.1.0' },
    ],
    [
      'reconnecting if the socket is closed',
      health,
      null,
      'waiting',
      { state: 'reconnecting', version: '0.1.0' },
    ],
    ['lost when the first request fails', undefined, error, 'idle', { state: 'lost', reason: error.message }],
    ['lost when a later request fails', health, error, 'waiting', { state: 'lost', reason: error.message }],
  ] as const)('is %s', (_claim, data, error, live, connection) => {
    expect(connectionOf({ data, error }, live)).toEqual(connection);
  });

  it('has a label for every state', () => {
    expect(connectionLook({ state: 'connecting' })).toEqual({ label: 'Connecting…', tone: 'neutral' });
    expect(connectionLook({ state: 'connected', version: '' })).toEqual({ label: 'Connected', tone: 'good' });
    expect(connectionLook({ state: 'reconnecting', version: '' })).toEqual({
      label: 'Reconnecting…',
      tone: 'warning',
    });
    expect(connectionLook({ state: 'lost', reason: '' })).toEqual({ label: 'Connection lost', tone: 'bad' });
  });
});
