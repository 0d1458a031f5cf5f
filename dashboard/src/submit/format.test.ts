import { describe, expect, it } from 'vitest';
import { dataFormat, formatRemark } from './format';
import { jsonFault } from './jsonFault';

describe('the data of an alert', () => {
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
  ])('%j is %s', async (text, kind) => {
    expect((await dataFormat(text)).kind).toBe(kind);
  });

  it('that is long is not read as YAML', async () => {
    expect(await dataFormat(`a: ${'x'.repeat(200_000)}`)).toEqual({ kind: 'text' });
  });

  it('is remarked upon, with the line of a fault', async () => {
    expect(formatRemark(await dataFormat('{"a": 1}'))).toEqual({
      text: 'Recognised as JSON.',
      isFault: false,
    });
    expect(formatRemark(await dataFormat('{\n  "a": 1\n  "b": 2\n}'))).toEqual({
      text: 'This is not JSON: line 3, column 3, expected a comma or }. It can be sent as plain text.',
      isFault: true,
    });
  });
});

describe('a fault in JSON', () => {
  it.each([
    ['{"a": 1,}', 1, 9, 'a name in double quotes'],
    ['{a: 1}', 1, 2, 'a name in double quotes'],
    ['{"a" 1}', 1, 6, 'a colon'],
    ['[1,\n 2,\n]', 3, 1, 'a value'],
    ['{"a": "x\ny"}', 1, 7, 'a text that ends on its line'],
    ['{"a": 1} x', 1, 10, 'the end of the text'],
    ['{"a": 01}', 1, 8, 'a comma or }'],
    ['[', 1, 2, 'a value'],
  ])('of %j is found', (text, line, column, expected) => {
    expect(jsonFault(text)).toEqual({ line, column, expected });
  });

  it('is not found where there is none, or too deep', () => {
    expect(jsonFault('{"a": [true, null, -1.5e-3, "\\u00e4\\n"]}')).toBeNull();
    expect(jsonFault('['.repeat(200_000))).toBeNull();
  });
});
