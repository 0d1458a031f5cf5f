import { describe, expect, it } from 'vitest';
import { json, refusal, serve, status, unreachable } from '../testing/server';
import { getJson, getJsonAlsoOn, postJson } from './client';

const signal = new AbortController().signal;
const ask = () => getJson('/thing', signal);

describe('asking the server', () => {
  it('gives its answer', async () => {
    serve({ '/thing': json({ name: 'thing' }) });
    await expect(ask()).resolves.toEqual({ name: 'thing' });
  });

  it.each([
    ['does not answer', unreachable, 'unreachable', 'The server does not answer.'],
    ['answers an error', status(503), 'refused', 'The server answered 503 to /thing.'],
    ['answers no JSON', status(200), 'unreadable', "The server's answer to /thing is not JSON."],
    ['says what was wrong', refusal(400, 'limit: it is 0'), 'refused', 'limit: it is 0'],
    ['does not know who asks', refusal(401, 'say who you are'), 'unauthenticated', 'say who you are'],
    ['does not allow it', refusal(403, 'this takes a role'), 'forbidden', 'this takes a role'],
    ['has no such thing', refusal(404, 'there is no thing'), 'missing', 'there is no thing'],
    ['has a proxy that answers 403', status(403), 'forbidden', 'The server answered 403 to /thing.'],
    [
      'answers JSON of another shape',
      json({ error: 'no' }, 500),
      'refused',
      'The server answered 500 to /thing.',
    ],
  ])('tells when it %s', async (_claim, answer, kind, message) => {
    serve({ '/thing': answer });
    await expect(ask()).rejects.toMatchObject({ name: 'ApiError', kind, message });
  });

  it('takes an answer that comes with an error, where that is expected', async () => {
    serve({ '/thing': json({ status: 'not_ready' }, 503) });
    await expect(getJsonAlsoOn('/thing', 503, signal)).resolves.toEqual({ status: 'not_ready' });
  });

  it('sends JSON', async () => {
    const requests = serve({ '/thing': json({ name: 'made' }, 202) });
    await expect(postJson('/thing', { data: 'x' })).resolves.toEqual({ name: 'made' });
    expect(requests).toEqual([{ path: '/thing', search: '', method: 'POST', body: { data: 'x' } }]);
  });
});
