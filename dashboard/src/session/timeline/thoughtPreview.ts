/** The preview of a collapsed thought. Pure. */

const MAX_CHARACTERS = 280;

/**
 * Returns the beginning of a text on one line, truncated between words; null if the text is short enough to
 * be shown whole.
 */
export function thoughtPreview(text: string): string | null {
  const flat = text
    .slice(0, MAX_CHARACTERS * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (text.length <= MAX_CHARACTERS && text.split('\n').length <= 4) return null;
  if (flat.length <= MAX_CHARACTERS) return flat;
  const cut = flat.slice(0, MAX_CHARACTERS);
  const space = cut.lastIndexOf(' ');
  return space > MAX_CHARACTERS / 2 ? cut.slice(0, space) : cut;
}
