/**
 * The HTTP client: sends a request and returns the JSON body, or throws an `ApiError` with a readable
 * message. It neither caches nor retries; the queries do.
 */
import type { ErrorResponse } from './types';

/**
 * `unreachable`: no response. `invalid_response`: the body is not JSON. `unauthenticated`, `forbidden` and
 * `not_found`: status 401, 403 and 404. `request_failed`: any other error status.
 */
export type ApiErrorKind =
  | 'unreachable'
  | 'invalid_response'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'request_failed';

export class ApiError extends Error {
  readonly kind: ApiErrorKind;

  constructor(kind: ApiErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ApiError';
    this.kind = kind;
  }
}

const TIMEOUT_MS = 10_000;

/**
 * Fetches `path`. The shape of the body is not checked: the server and the dashboard come from the same
 * build.
 */
export async function getJson<Body>(path: string, signal: AbortSignal): Promise<Body> {
  return readJsonOrThrow<Body>(path, await send(path, {}, signal));
}

/** Fetches `path` and also accepts the error status `also`, whose body has the same shape. */
export async function getJsonAllowing<Body>(path: string, also: number, signal: AbortSignal): Promise<Body> {
  const response = await send(path, {}, signal);
  return response.status === also ? readJson<Body>(path, response) : readJsonOrThrow<Body>(path, response);
}

/** Sends `body` to `path`. A submitted request is never aborted. */
export async function postJson<Body>(path: string, body: object): Promise<Body> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  return readJsonOrThrow<Body>(path, await send(path, request, new AbortController().signal));
}

/** Sends a request that has no response body. */
export async function post(path: string): Promise<void> {
  const response = await send(path, { method: 'POST' }, new AbortController().signal);
  if (!response.ok) throw await errorOf(path, response);
}

async function readJsonOrThrow<Body>(path: string, response: Response): Promise<Body> {
  if (response.ok) return readJson<Body>(path, response);
  throw await errorOf(path, response);
}

async function errorOf(path: string, response: Response): Promise<ApiError> {
  return new ApiError(errorKindOf(response.status), await errorMessageOf(path, response));
}

async function readJson<Body>(path: string, response: Response): Promise<Body> {
  try {
    return (await response.json()) as Body;
  } catch (cause) {
    throw new ApiError('invalid_response', `The response to ${path} is not JSON.`, cause);
  }
}

function errorKindOf(status: number): ApiErrorKind {
  switch (status) {
    case 401:
      return 'unauthenticated';
    case 403:
      return 'forbidden';
    case 404:
      return 'not_found';
    default:
      return 'request_failed';
  }
}

/**
 * Returns the message of the server, which states the problem and the remedy. A proxy may respond instead,
 * without JSON.
 */
async function errorMessageOf(path: string, response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  return isErrorResponse(body) ? body.error.message : `The server returned ${response.status} for ${path}.`;
}

function isErrorResponse(body: unknown): body is ErrorResponse {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  return (
    typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
  );
}

async function send(path: string, request: RequestInit, signal: AbortSignal): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await fetch(path, {
      ...request,
      headers: { accept: 'application/json', ...request.headers },
      signal: AbortSignal.any([signal, timeout]),
    });
  } catch (cause) {
    // The query was cancelled; the server did not fail.
    if (signal.aborted) throw cause;
    throw new ApiError('unreachable', unreachableMessage(timeout), cause);
  }
}

function unreachableMessage(timeout: AbortSignal): string {
  return timeout.aborted
    ? `The server did not respond within ${TIMEOUT_MS / 1000} seconds.`
    : 'The server does not respond.';
}
