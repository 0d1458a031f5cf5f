/**
 * How the part of an address after the question mark is read and written: plain texts, several of the same name for a
 * list. Each route says what it makes of them (`validateSearch`), so a mistyped address does no harm. Pure.
 */

export type SearchTexts = Record<string, string | string[]>;

export function parseSearch(search: string): SearchTexts {
  const parameters = new URLSearchParams(search);
  const texts: SearchTexts = {};
  for (const name of new Set(parameters.keys())) {
    const [first = '', ...others] = parameters.getAll(name);
    texts[name] = others.length > 0 ? [first, ...others] : first;
  }
  return texts;
}

export function stringifySearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const text of listOf(value)) parameters.append(name, text);
  }
  const written = parameters.toString();
  return written ? `?${written}` : '';
}

/** The texts of a parameter that may be there never, once or several times. */
export function listOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map(String).filter((text) => text !== '');
}

/** The text of a parameter that should be there once; none if it is not. */
export function textOf(value: unknown): string | undefined {
  return listOf(value)[0];
}
