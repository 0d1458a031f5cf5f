/** Texts for content that could not be loaded, by kind of error. Pure. */
import { ApiError, type ApiErrorKind } from '../api/client';
import { toSentence } from '../format/sentence';

export interface FailureDescription {
  title: string;
  reason: string;
  /** What the user can do: retry the request, or reload the page to sign in. */
  action: 'retry' | 'reload' | 'none';
}

/** `what` is what could not be loaded, as the start of a sentence: `Sessions`. */
export function describeFailure(what: string, error: Error): FailureDescription {
  const reason = toSentence(error.message);
  switch (kindOf(error)) {
    case 'unauthenticated':
      return {
        title: 'You are not signed in',
        reason: `${reason} Reload the page to sign in.`,
        action: 'reload',
      };
    case 'forbidden':
      return {
        title: 'Permission denied',
        reason: `${reason} Ask an administrator for access.`,
        action: 'none',
      };
    case 'not_found':
      return { title: 'Not found', reason: `${reason} It may have been deleted.`, action: 'none' };
    case 'unreachable':
    case 'invalid_response':
    case 'request_failed':
      return { title: `${what} could not be loaded`, reason, action: 'retry' };
  }
}

function kindOf(error: Error): ApiErrorKind {
  return error instanceof ApiError ? error.kind : 'request_failed';
}

/** The shell already reports an unreachable server; other errors are reported by the page. */
export function staleReason(error: Error | null): string | null {
  if (!error) return null;
  return error instanceof ApiError && error.kind === 'unreachable' ? null : error.message;
}
