/**
 * The one way to the server: ask for JSON, get it or an `ApiError` that a person can read.
 * It neither caches nor retries; the queries do.
 */

/** `unreachable`: nobody answered. `refused`: the answer was an error. `unreadable`: the answer was not JSON. */
export type ApiErrorKind = 'unreachable' | 'refused' | 'unreadable';

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
  const response = await ask(path, signal);
  if (!response.ok) {
    throw new ApiError('refused', `The server answered ${response.status} to ${path}.`);
  }
  try {
    return (await response.json()) as Answer;
  } catch (cause) {
    throw new ApiError('unreadable', `The server's answer to ${path} is not JSON.`, cause);
  }
}

async function ask(path: string, signal: AbortSignal): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await fetch(path, {
      headers: { accept: 'application/json' },
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
