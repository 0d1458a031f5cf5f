import { describe, expect, it } from 'vitest';
import { dataFormat, formatHint } from './format';
import { findJsonSyntaxError } from './jsonSyntaxError';

describe('format of alert data', () => {
  it.each([
    ['', 'empty'],
    [' \n', 'empty'],
    ['{"a": [1, 2.5e3, "x"]}', 'json'],
    ['"text"', 'json'],
    ['{"a": 1,}', 'broken_json'],
    ['alertname: PodCrashLooping\nlabels:\n  pod: x', 'yaml'],
    ['- a\n- b', 'yaml'],
    ['a: [1, 2', 'broken_yaml'],
    ['The disk is full', 'text'],
    ['Note: the disk is full', 'yaml'],
    ['12', 'text'],
    ['https://example.com/a: b', 'text'],
  ])('detects %j as %s', async (text, kind) => {
    expect((await dataFormat(text)).kind).toBe(kind);
  });

  it('does not parse long YAML', async () => {
    expect(await dataFormat(`a: ${'x'.repeat(200_000)}`)).toEqual({ kind: 'text' });
  });

  it('has a hint with the line of a syntax error', async () => {
    expect(formatHint(await dataFormat('{"a": 1}'))).toEqual({
      text: 'Detected as JSON.',
      isError: false,
    });
    expect(formatHint(await dataFormat('{\n  "a": 1\n  "b": 2\n}'))).toEqual({
      text: 'Invalid JSON in line 3, column 3: expected a comma or }. You can still send it as plain text.',
      isError: true,
    });
  });
});

describe('JSON syntax error', () => {
  it.each([
    ['{"a": 1,}', 1, 9, 'a key in double quotes'],
    ['{a: 1}', 1, 2, 'a key in double quotes'],
    ['{"a" 1}', 1, 6, 'a colon'],
    ['[1,\n 2,\n]', 3, 1, 'a value'],
    ['{"a": "x\ny"}', 1, 7, 'a string that ends on its line'],
    ['{"a": 1} x', 1, 10, 'the end of the input'],
    ['{"a": 01}', 1, 8, 'a comma or }'],
    ['[', 1, 2, 'a value'],
  ])('is located in %j', (text, line, column, expected) => {
    expect(findJsonSyntaxError(text)).toEqual({ line, column, expected });
  });

  it('is null for valid or deeply nested JSON', () => {
    expect(findJsonSyntaxError('{"a": [true, null, -1.5e-3, "\\u00e4\\n"]}')).toBeNull();
    expect(findJsonSyntaxError('['.repeat(200_000))).toBeNull();
  });
});
