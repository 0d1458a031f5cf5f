/**
 * The one way to the server: ask for JSON, get it or an `ApiError` that a person can read.
 * It neither caches nor retries; the queries do.
 */
import type { ErrorResponse } from './types';

/**
 * `unreachable`: nobody answered. `unreadable`: the answer was not JSON. `unauthenticated`, `forbidden` and `missing`:
 * the server says so. `refused`: any other error.
 */
export type ApiErrorKind =
  | 'unreachable'
  | 'unreadable'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'refused';

export class ApiError extends Error {
  readonly kind: ApiErrorKind;

  constructor(kind: ApiErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ApiError';
    this.kind = kind;
  }
}

const TIMEOUT_MS = 10_000;

/** Fetches `path` and trusts its shape: the server and this page come from the same build. */
export async function getJson<Answer>(path: string, signal: AbortSignal): Promise<Answer> {
  return answerOf<Answer>(path, await ask(path, {}, signal));
}

/** Fetches `path`, whose answer has the same shape when it is an error with the status `also`. */
export async function getJsonAlsoOn<Answer>(
  path: string,
  also: number,
  signal: AbortSignal,
): Promise<Answer> {
  const response = await ask(path, {}, signal);
  return response.status === also ? read<Answer>(path, response) : answerOf<Answer>(path, response);
}

/** Sends `body` to `path`. What was sent is not taken back, so there is nothing to abort it with. */
export async function postJson<Answer>(path: string, body: object): Promise<Answer> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  return answerOf<Answer>(path, await ask(path, request, new AbortController().signal));
}

/** Asks for something to be done that has no answer but that it is done. */
export async function post(path: string): Promise<void> {
  const response = await ask(path, { method: 'POST' }, new AbortController().signal);
  if (!response.ok) throw await refusal(path, response);
}

async function answerOf<Answer>(path: string, response: Response): Promise<Answer> {
  if (response.ok) return read<Answer>(path, response);
  throw await refusal(path, response);
}

async function refusal(path: string, response: Response): Promise<ApiError> {
  return new ApiError(refusalKind(response.status), await refusalMessage(path, response));
}

async function read<Answer>(path: string, response: Response): Promise<Answer> {
  try {
    return (await response.json()) as Answer;
  } catch (cause) {
    throw new ApiError('unreadable', `The server's answer to ${path} is not JSON.`, cause);
  }
}

function refusalKind(status: number): ApiErrorKind {
  switch (status) {
    case 401:
      return 'unauthenticated';
    case 403:
      return 'forbidden';
    case 404:
      return 'missing';
    default:
      return 'refused';
  }
}

/** The server says what was wrong and what would be right. A proxy on the way may answer in its place, and not in JSON. */
async function refusalMessage(path: string, response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  return isErrorResponse(body) ? body.error.message : `The server answered ${response.status} to ${path}.`;
}

function isErrorResponse(body: unknown): body is ErrorResponse {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  return (
    typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
  );
}

async function ask(path: string, request: RequestInit, signal: AbortSignal): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await fetch(path, {
      ...request,
      headers: { accept: 'application/json', ...request.headers },
      signal: AbortSignal.any([signal, timeout]),
    });
  } catch (cause) {
    // A query that nobody needs any more is not a fault of the server.
    if (signal.aborted) throw cause;
    throw new ApiError('unreachable', unreachableBecause(timeout), cause);
  }
}

function unreachableBecause(timeout: AbortSignal): string {
  return timeout.aborted
    ? `The server did not answer within ${TIMEOUT_MS / 1000} seconds.`
    : 'The server does not answer.';
}
