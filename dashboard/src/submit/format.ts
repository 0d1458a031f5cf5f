/**
 * What the data of an alert is taken for: JSON, YAML or text. It is sent as it is written in any case; this only tells the
 * writer what it looks like. The reader of YAML is large, so it is loaded when something looks like YAML.
 */
import { type JsonFault, jsonFault } from './jsonFault';

export type DataFormat =
  | { kind: 'empty' }
  | { kind: 'json' }
  | { kind: 'broken_json'; fault: JsonFault | null }
  | { kind: 'yaml' }
  | { kind: 'broken_yaml'; line: number }
  | { kind: 'text' };

/** Reading a longer text as YAML takes too long for a remark. */
const LONGEST_YAML = 100_000;

export async function dataFormat(text: string): Promise<DataFormat> {
  const trimmed = text.trim();
  if (trimmed === '') return { kind: 'empty' };
  if (/^[[{"]/.test(trimmed)) return jsonFormat(text);
  if (!looksLikeYaml(trimmed) || trimmed.length > LONGEST_YAML) return { kind: 'text' };
  return yamlFormat(text);
}

function jsonFormat(text: string): DataFormat {
  try {
    JSON.parse(text);
    return { kind: 'json' };
  } catch {
    return { kind: 'broken_json', fault: jsonFault(text) };
  }
}

/** A mapping or a list at the beginning of a line, or the mark of a document. */
function looksLikeYaml(text: string): boolean {
  return /^(?:---|- |[\w."'/-]+ *:(?: |\n|$))/.test(text);
}

async function yamlFormat(text: string): Promise<DataFormat> {
  const { parseAllDocuments } = await import('yaml');
  const documents = [...parseAllDocuments(text, { logLevel: 'silent' })];
  const fault = documents.flatMap((document) => document.errors)[0];
  if (fault) return { kind: 'broken_yaml', line: fault.linePos?.[0].line ?? 1 };
  const isStructured = documents.some(
    (document) => typeof document.toJS({ maxAliasCount: 100 }) === 'object',
  );
  return isStructured ? { kind: 'yaml' } : { kind: 'text' };
}

export interface FormatRemark {
  text: string;
  isFault: boolean;
}

export function formatRemark(format: DataFormat): FormatRemark {
  switch (format.kind) {
    case 'empty':
      return { text: 'JSON, YAML or any text. It is kept as it is written.', isFault: false };
    case 'json':
      return { text: 'Recognised as JSON.', isFault: false };
    case 'yaml':
      return { text: 'Recognised as YAML.', isFault: false };
    case 'text':
      return { text: 'Taken as plain text.', isFault: false };
    case 'broken_yaml':
      return {
        text: `Taken as plain text: as YAML it would be wrong in line ${format.line}.`,
        isFault: false,
      };
    case 'broken_json':
      return { text: brokenJson(format.fault), isFault: true };
  }
}

function brokenJson(fault: JsonFault | null): string {
  if (!fault) return 'This begins like JSON and is not. It can be sent as plain text.';
  const { line, column, expected } = fault;
  return `This is not JSON: line ${line}, column ${column}, expected ${expected}. It can be sent as plain text.`;
}
