import { describe, expect, it } from 'vitest';
import { readMessage } from './wire';

describe('reading a message', () => {
  it('gives what this page knows', () => {
    const message = { type: 'gap', channel: 'sessions', data: {} };
    expect(readMessage(JSON.stringify(message))).toEqual(message);
  });

  it.each([
    'no json',
    'null',
    '41',
    '[]',
    '{}',
    '{"type":41}',
    '{"type":"toString"}',
    '{"type":"of tomorrow"}',
  ])('leaves %s', (text) => {
    expect(readMessage(text)).toBeNull();
  });
});
