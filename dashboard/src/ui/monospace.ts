/** Type in which every character is equally wide, from what the reader's system has. */
export const monospace = {
  fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSize: '0.8rem',
  lineHeight: 1.55,
} as const;
