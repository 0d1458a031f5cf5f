/**
 * Where a text stops being JSON. Browsers say that in different words, some of them without a place, so the place is looked
 * for here. Pure. It is asked only about texts that are not JSON.
 */

export interface JsonFault {
  line: number;
  column: number;
  /** What would be right there. */
  expected: string;
}

/** The first fault; null if there is none, or if the text is nested too deeply to look. */
export function jsonFault(text: string): JsonFault | null {
  try {
    new Reader(text).readAll();
    return null;
  } catch (fault) {
    return fault instanceof Fault ? placeOf(text, fault) : null;
  }
}

class Fault extends Error {
  readonly at: number;

  constructor(at: number, expected: string) {
    super(expected);
    this.at = at;
  }
}

function placeOf(text: string, fault: Fault): JsonFault {
  const before = text.slice(0, fault.at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, expected: fault.message };
}

const blanks = /[ \t\n\r]*/y;
const word = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON texts hold no control characters.
const quoted = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): void {
    this.#value();
    this.#skip(blanks);
    if (this.#at < this.#text.length) this.#refuse('the end of the text');
  }

  #value(): void {
    this.#skip(blanks);
    const sign = this.#text[this.#at];
    if (sign === '{') this.#members('}', () => this.#member());
    else if (sign === '[') this.#members(']', () => this.#value());
    else if (sign === '"') this.#string('a text that ends on its line');
    else if (!this.#skip(word)) this.#refuse('a value');
  }

  #members(end: '}' | ']', readOne: () => void): void {
    this.#at += 1;
    this.#skip(blanks);
    if (this.#take(end)) return;
    do {
      readOne();
      this.#skip(blanks);
    } while (this.#take(','));
    if (!this.#take(end)) this.#refuse(`a comma or ${end}`);
  }

  #member(): void {
    this.#skip(blanks);
    this.#string('a name in double quotes');
    this.#skip(blanks);
    if (!this.#take(':')) this.#refuse('a colon');
    this.#value();
  }

  #string(expected: string): void {
    if (!this.#skip(quoted)) this.#refuse(expected);
  }

  #take(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found.length > 0;
  }

  #refuse(expected: string): never {
    throw new Fault(this.#at, expected);
  }
}
