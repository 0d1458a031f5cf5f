/** What came in with the alert, as readable as it can be made without changing what it says. Pure. */

export type AlertForm = 'JSON' | 'YAML' | 'Text';

export interface AlertLook {
  form: AlertForm;
  text: string;
}

/** Longer texts are shown as they are: nobody reads them from top to bottom. */
const MOST_CHARACTERS = 300_000;

export function alertLook(data: string): AlertLook {
  if (data.length > MOST_CHARACTERS) return { form: 'Text', text: data };
  if (isJsonStructure(data)) return { form: 'JSON', text: prettyJson(data) };
  return { form: looksLikeYaml(data) ? 'YAML' : 'Text', text: data };
}

function isJsonStructure(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Sets JSON in lines with indentation. Values stay as they are written: a number read and written again may be another
 * number, and a key that is there twice would be there once.
 */
export function prettyJson(text: string): string {
  const tokens = text.match(TOKEN) ?? [];
  let pretty = '';
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [index, token] of tokens.entries()) {
    const isEmpty = /^[}\]]$/.test(tokens[index + 1] ?? '');
    switch (token) {
      case '{':
      case '[':
        depth += isEmpty ? 0 : 1;
        pretty += isEmpty ? token : token + line();
        break;
      case '}':
      case ']': {
        const wasEmpty = /^[{[]$/.test(tokens[index - 1] ?? '');
        depth -= wasEmpty ? 0 : 1;
        pretty += wasEmpty ? token : line() + token;
        break;
      }
      case ',':
        pretty += token + line();
        break;
      case ':':
        pretty += ': ';
        break;
      default:
        pretty += token;
    }
  }
  return pretty;
}

const YAML_LINE = /^\s*(?:- )*(?:[\w.$/"'-]+\s*:(?:\s|$)|-\s)/;

/** Prose has a colon here and there; YAML has one, or a dash, in nearly every line. */
function looksLikeYaml(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s*(?:#|---)/.test(line));
  const fitting = lines.filter((line) => YAML_LINE.test(line)).length;
  return fitting >= 2 && fitting >= lines.length * 0.6;
}

/** A line of JSON or YAML, cut after its key. */
export function cutAtKey(line: string): { key: string; rest: string } {
  const key = /^\s*(?:- )*(?:"(?:[^"\\]|\\.)*"|[\w.$/'-]+)(?=\s*:(?:\s|$))/.exec(line)?.[0] ?? '';
  return { key, rest: line.slice(key.length) };
}
