import { describe, expect, it } from 'vitest';
import { json, serve, status, unreachable } from '../testing/server';
import { getJson } from './client';

const ask = (signal = new AbortController().signal) => getJson('/thing', signal);

describe('asking the server', () => {
  it('gives its answer', async () => {
    serve({ '/thing': json({ name: 'thing' }) });
    await expect(ask()).resolves.toEqual({ name: 'thing' });
  });

  it.each([
    ['does not answer', unreachable, 'unreachable', 'The server does not answer.'],
    ['answers an error', status(503), 'refused', 'The server answered 503 to /thing.'],
    ['answers no JSON', status(200), 'unreadable', "The server's answer to /thing is not JSON."],
  ])('tells when it %s', async (_claim, answer, kind, message) => {
    serve({ '/thing': answer });
    await expect(ask()).rejects.toMatchObject({ name: 'ApiError', kind, message });
  });
});
