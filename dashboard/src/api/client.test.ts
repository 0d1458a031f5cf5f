import { describe, expect, it } from 'vitest';
import { errorResponse, json, serve, status, unreachable } from '../testing/server';
import { getJson, getJsonAllowing, postJson } from './client';

const signal = new AbortController().signal;
const get = () => getJson('/thing', signal);

describe('API client', () => {
  it('returns the JSON body', async () => {
    serve({ '/thing': json({ name: 'thing' }) });
    await expect(get()).resolves.toEqual({ name: 'thing' });
  });

  it.each([
    ['does not respond', unreachable, 'unreachable', 'The server does not respond.'],
    ['returns an error', status(503), 'request_failed', 'The server returned 503 for /thing.'],
    ['returns no JSON', status(200), 'invalid_response', 'The response to /thing is not JSON.'],
    ['explains the error', errorResponse(400, 'limit: it is 0'), 'request_failed', 'limit: it is 0'],
    ['requires authentication', errorResponse(401, 'send a token'), 'unauthenticated', 'send a token'],
    ['denies permission', errorResponse(403, 'this requires a role'), 'forbidden', 'this requires a role'],
    ['does not find it', errorResponse(404, 'there is no thing'), 'not_found', 'there is no thing'],
    ['is behind a proxy that returns 403', status(403), 'forbidden', 'The server returned 403 for /thing.'],
    [
      'returns JSON of another shape',
      json({ error: 'no' }, 500),
      'request_failed',
      'The server returned 500 for /thing.',
    ],
  ])('throws when the server %s', async (_claim, response, kind, message) => {
    serve({ '/thing': response });
    await expect(get()).rejects.toMatchObject({ name: 'ApiError', kind, message });
  });

  it('accepts the body of an expected error status', async () => {
    serve({ '/thing': json({ status: 'not_ready' }, 503) });
    await expect(getJsonAllowing('/thing', 503, signal)).resolves.toEqual({ status: 'not_ready' });
  });

  it('sends JSON', async () => {
    const requests = serve({ '/thing': json({ name: 'made' }, 202) });
    await expect(postJson('/thing', { data: 'x' })).resolves.toEqual({ name: 'made' });
    expect(requests).toEqual([{ path: '/thing', search: '', method: 'POST', body: { data: 'x' } }]);
  });
});
