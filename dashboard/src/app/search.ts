/**
 * Parses and serializes the query string of a URL: plain strings, with repeated names for lists. Each route
 * validates its own parameters (`validateSearch`), so a mistyped URL does no harm. Pure.
 */

export type SearchParams = Record<string, string | string[]>;

export function parseSearch(search: string): SearchParams {
  const parameters = new URLSearchParams(search);
  const texts: SearchParams = {};
  for (const name of new Set(parameters.keys())) {
    const [first = '', ...others] = parameters.getAll(name);
    texts[name] = others.length > 0 ? [first, ...others] : first;
  }
  return texts;
}

export function stringifySearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const text of listParam(value)) parameters.append(name, text);
  }
  const written = parameters.toString();
  return written ? `?${written}` : '';
}

/** Returns the values of a parameter that may be missing, single or repeated. */
export function listParam(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map(String).filter((text) => text !== '');
}

/** Returns the first value of a parameter, or `undefined` if it is missing. */
export function textParam(value: unknown): string | undefined {
  return listParam(value)[0];
}
