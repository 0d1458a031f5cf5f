/** Paths of pages that belong to one session. */

export const sessionPagePath = (sessionId: string): string => `/sessions/${encodeURIComponent(sessionId)}`;

/** `call` is the id of an interaction, or the `toolCallName` that the timeline knows. */
export function tracePagePath(sessionId: string, call?: string): string {
  const trace = `${sessionPagePath(sessionId)}/trace`;
  return call === undefined ? trace : `${trace}?call=${encodeURIComponent(call)}`;
}

/**
 * Identifies a tool call by its execution and the model's id for the call, for callers without the
 * interaction id.
 */
export const toolCallName = (executionId: string, toolCallId: string): string =>
  `${executionId}:${toolCallId}`;

/** The submit form, filled in with the alert of a session. */
export const resubmitPagePath = (sessionId: string): string =>
  `/submit?from=${encodeURIComponent(sessionId)}`;
