/** Formats alert data for reading without changing its content. Pure. */

export type AlertFormat = 'JSON' | 'YAML' | 'Text';

export interface FormattedAlert {
  form: AlertFormat;
  text: string;
}

/** Longer data is shown unformatted. */
const MAX_CHARACTERS = 300_000;

export function formatAlert(data: string): FormattedAlert {
  if (data.length > MAX_CHARACTERS) return { form: 'Text', text: data };
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
 * Indents JSON token by token. Parsing and serializing it would change large numbers and drop duplicate keys.
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

/** Prose has an occasional colon; in YAML nearly every line has one, or a dash. */
function looksLikeYaml(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s*(?:#|---)/.test(line));
  const fitting = lines.filter((line) => YAML_LINE.test(line)).length;
  return fitting >= 2 && fitting >= lines.length * 0.6;
}

/** Splits a line of JSON or YAML after its key. */
export function splitAtKey(line: string): { key: string; rest: string } {
  const key = /^\s*(?:- )*(?:"(?:[^"\\]|\\.)*"|[\w.$/'-]+)(?=\s*:(?:\s|$))/.exec(line)?.[0] ?? '';
  return { key, rest: line.slice(key.length) };
}
