/**
 * Finds the first syntax error in JSON. The messages of browsers differ, and some have no position. Pure.
 * Called only for text that `JSON.parse` rejects.
 */

export interface JsonSyntaxError {
  line: number;
  column: number;
  /** What the parser expected there. */
  expected: string;
}

/** Returns the first error; null if there is none, or if the text is nested too deeply. */
export function findJsonSyntaxError(text: string): JsonSyntaxError | null {
  try {
    new JsonScanner(text).readAll();
    return null;
  } catch (error) {
    return error instanceof ScanError ? locate(text, error) : null;
  }
}

class ScanError extends Error {
  readonly at: number;

  constructor(at: number, expected: string) {
    super(expected);
    this.at = at;
  }
}

function locate(text: string, error: ScanError): JsonSyntaxError {
  const before = text.slice(0, error.at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, expected: error.message };
}

const whitespace = /[ \t\n\r]*/y;
const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings contain no raw control characters.
const quoted = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;

class JsonScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): void {
    this.#value();
    this.#skip(whitespace);
    if (this.#at < this.#text.length) this.#fail('the end of the input');
  }

  #value(): void {
    this.#skip(whitespace);
    const char = this.#text[this.#at];
    if (char === '{') this.#members('}', () => this.#member());
    else if (char === '[') this.#members(']', () => this.#value());
    else if (char === '"') this.#string('a string that ends on its line');
    else if (!this.#skip(literal)) this.#fail('a value');
  }

  #members(end: '}' | ']', readOne: () => void): void {
    this.#at += 1;
    this.#skip(whitespace);
    if (this.#take(end)) return;
    do {
      readOne();
      this.#skip(whitespace);
    } while (this.#take(','));
    if (!this.#take(end)) this.#fail(`a comma or ${end}`);
  }

  #member(): void {
    this.#skip(whitespace);
    this.#string('a key in double quotes');
    this.#skip(whitespace);
    if (!this.#take(':')) this.#fail('a colon');
    this.#value();
  }

  #string(expected: string): void {
    if (!this.#skip(quoted)) this.#fail(expected);
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found.length > 0;
  }

  #fail(expected: string): never {
    throw new ScanError(this.#at, expected);
  }
}
