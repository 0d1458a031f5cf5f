import { describe, expect, it } from 'vitest';
import { alertLook, cutAtKey, prettyJson } from './alert';

describe('the data of an alert', () => {
  it.each([
    ['{"a": 1}', 'JSON'],
    ['  [1, 2]', 'JSON'],
    ['{"a": 1', 'Text'],
    ['a: 1\nb:\n  - c\n  - d: 2', 'YAML'],
    ['# a comment\nname: shop\npods:\n- one\n- two', 'YAML'],
    ['The shop is slow.', 'Text'],
    ['Note: the shop is slow.\nNobody knows why.\nIt began at noon.', 'Text'],
    ['"a text"', 'Text'],
    ['', 'Text'],
  ])('%j is %s', (data, form) => {
    expect(alertLook(data).form).toBe(form);
  });

  it('is not read when it is very long', () => {
    expect(alertLook(`["${'x'.repeat(400_000)}"]`).form).toBe('Text');
  });

  it('is set in lines, and says the same', () => {
    expect(prettyJson('{"a":[1,{"b":"c, {d}: \\"e\\""}],"f":{},"g":[],"h":null}')).toBe(
      [
        '{',
        '  "a": [',
        '    1,',
        '    {',
        '      "b": "c, {d}: \\"e\\""',
        '    }',
        '  ],',
        '  "f": {},',
        '  "g": [],',
        '  "h": null',
        '}',
      ].join('\n'),
    );
  });

  it('keeps numbers that no program could hold, and keys that are there twice', () => {
    const text = '{"a":12345678901234567890,"a":1.0}';
    expect(prettyJson(text).replace(/\s/g, '')).toBe(text);
  });

  it.each([
    ['  "name": "a: b"', '  "name"', ': "a: b"'],
    ['- name: x', '- name', ': x'],
    ['  - just a text', '', '  - just a text'],
    ['see https://example.com', '', 'see https://example.com'],
  ])('%j has the key %j', (line, key, rest) => {
    expect(cutAtKey(line)).toEqual({ key, rest });
  });
});
