/**
 * Detects the format of alert data: JSON, YAML or text. The data is always sent unchanged; this is only a
 * hint. The YAML parser is large, so it is loaded on demand.
 */
import { findJsonSyntaxError, type JsonSyntaxError } from './jsonSyntaxError';

export type DataFormat =
  | { kind: 'empty' }
  | { kind: 'json' }
  | { kind: 'broken_json'; error: JsonSyntaxError | null }
  | { kind: 'yaml' }
  | { kind: 'broken_yaml'; line: number }
  | { kind: 'text' };

/** Parsing longer YAML takes too long for a hint. */
const MAX_YAML_CHARACTERS = 100_000;

export async function dataFormat(text: string): Promise<DataFormat> {
  const trimmed = text.trim();
  if (trimmed === '') return { kind: 'empty' };
  if (/^[[{"]/.test(trimmed)) return jsonFormat(text);
  if (!looksLikeYaml(trimmed) || trimmed.length > MAX_YAML_CHARACTERS) return { kind: 'text' };
  return yamlFormat(text);
}

function jsonFormat(text: string): DataFormat {
  try {
    JSON.parse(text);
    return { kind: 'json' };
  } catch {
    return { kind: 'broken_json', error: findJsonSyntaxError(text) };
  }
}

/** Matches a mapping or a list at the start of the text, or a document marker. */
function looksLikeYaml(text: string): boolean {
  return /^(?:---|- |[\w."'/-]+ *:(?: |\n|$))/.test(text);
}

async function yamlFormat(text: string): Promise<DataFormat> {
  const { parseAllDocuments } = await import('yaml');
  const documents = [...parseAllDocuments(text, { logLevel: 'silent' })];
  const error = documents.flatMap((document) => document.errors)[0];
  if (error) return { kind: 'broken_yaml', line: error.linePos?.[0].line ?? 1 };
  const isStructured = documents.some(
    (document) => typeof document.toJS({ maxAliasCount: 100 }) === 'object',
  );
  return isStructured ? { kind: 'yaml' } : { kind: 'text' };
}

export interface FormatHint {
  text: string;
  isError: boolean;
}

export function formatHint(format: DataFormat): FormatHint {
  switch (format.kind) {
    case 'empty':
      return { text: 'JSON, YAML or plain text. It is sent unchanged.', isError: false };
    case 'json':
      return { text: 'Detected as JSON.', isError: false };
    case 'yaml':
      return { text: 'Detected as YAML.', isError: false };
    case 'text':
      return { text: 'Sent as plain text.', isError: false };
    case 'broken_yaml':
      return {
        text: `Sent as plain text: invalid YAML in line ${format.line}.`,
        isError: false,
      };
    case 'broken_json':
      return { text: brokenJson(format.error), isError: true };
  }
}

function brokenJson(error: JsonSyntaxError | null): string {
  if (!error) return 'Invalid JSON. You can still send it as plain text.';
  const { line, column, expected } = error;
  return `Invalid JSON in line ${line}, column ${column}: expected ${expected}. You can still send it as plain text.`;
}
