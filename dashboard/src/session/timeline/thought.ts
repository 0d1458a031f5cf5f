/** The first words of a thought. Pure. */

const MOST_CHARACTERS = 280;

/** The beginning of a text on one line, cut between words; null if the text is short enough to be shown whole. */
export function firstWords(text: string): string | null {
  const flat = text
    .slice(0, MOST_CHARACTERS * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (text.length <= MOST_CHARACTERS && text.split('\n').length <= 4) return null;
  if (flat.length <= MOST_CHARACTERS) return flat;
  const cut = flat.slice(0, MOST_CHARACTERS);
  const space = cut.lastIndexOf(' ');
  return space > MOST_CHARACTERS / 2 ? cut.slice(0, space) : cut;
}
