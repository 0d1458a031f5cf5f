import { describe, expect, it } from 'vitest';
import { readMessage } from './wire';

describe('readMessage', () => {
  it('returns a message of a known type', () => {
    const message = { type: 'gap', channel: 'sessions', data: {} };
    expect(readMessage(JSON.stringify(message))).toEqual(message);
  });

  it.each(['no json', 'null', '41', '[]', '{}', '{"type":41}', '{"type":"toString"}', '{"type":"unknown"}'])(
    'returns null for %s',
    (text) => {
      expect(readMessage(text)).toBeNull();
    },
  );
});
