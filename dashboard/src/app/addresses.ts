/** The addresses of pages that are about one thing. */

export const sessionAddress = (sessionId: string): string => `/sessions/${encodeURIComponent(sessionId)}`;

/** `call` is the id of a call, or what the timeline knows of one: its execution and the model's id for it. */
export function traceAddress(sessionId: string, call?: string): string {
  const trace = `${sessionAddress(sessionId)}/trace`;
  return call === undefined ? trace : `${trace}?call=${encodeURIComponent(call)}`;
}

/** How a call of a tool is named by those who do not know its id. */
export const toolCallName = (executionId: string, toolCallId: string): string =>
  `${executionId}:${toolCallId}`;

/** The form for an alert, filled with the one of a session. */
export const resubmitAddress = (sessionId: string): string => `/submit?from=${encodeURIComponent(sessionId)}`;
