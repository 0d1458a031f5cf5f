import { describe, expect, it } from 'vitest';
import { connectionLook, connectionOf } from './model';

const health = { status: 'ok', version: '0.1.0' } as const;
const error = new Error('The server does not answer.');

describe('the connection', () => {
  it.each([
    ['connecting before the first answer', undefined, null, { state: 'connecting' }],
    ['connected after an answer', health, null, { state: 'connected', version: '0.1.0' }],
    ['lost when the first question fails', undefined, error, { state: 'lost', reason: error.message }],
    ['lost when a later question fails', health, error, { state: 'lost', reason: error.message }],
  ])('is %s', (_claim, data, error, connection) => {
    expect(connectionOf({ data, error })).toEqual(connection);
  });

  it('is told by a word, not by a colour alone', () => {
    expect(connectionLook({ state: 'connecting' })).toEqual({ label: 'Connecting…', tone: 'neutral' });
    expect(connectionLook({ state: 'connected', version: '' })).toEqual({ label: 'Connected', tone: 'good' });
    expect(connectionLook({ state: 'lost', reason: '' })).toEqual({ label: 'Connection lost', tone: 'bad' });
  });
});
