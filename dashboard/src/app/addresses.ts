/** The addresses of pages that are about one thing. */

export const sessionAddress = (sessionId: string): string => `/sessions/${encodeURIComponent(sessionId)}`;
