/** The monospace font of the user's system. */
export const monospace = {
  fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSize: '0.8rem',
  lineHeight: 1.55,
} as const;
