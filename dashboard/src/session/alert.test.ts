import { describe, expect, it } from 'vitest';
import { formatAlert, prettyJson, splitAtKey } from './alert';

describe('alert data', () => {
  it.each([
    ['{"a": 1}', 'JSON'],
    ['  [1, 2]', 'JSON'],
    ['{"a": 1', 'Text'],
    ['a: 1\nb:\n  - c\n  - d: 2', 'YAML'],
    ['# a comment\nname: shop\npods:\n- one\n- two', 'YAML'],
    ['The shop is slow.', 'Text'],
    ['Note: the shop is slow.\nThe cause is unknown.\nIt started at noon.', 'Text'],
    ['"a text"', 'Text'],
    ['', 'Text'],
  ])('detects %j as %s', (data, form) => {
    expect(formatAlert(data).form).toBe(form);
  });

  it('is not parsed when it is very long', () => {
    expect(formatAlert(`["${'x'.repeat(400_000)}"]`).form).toBe('Text');
  });

  it('is indented without changing its content', () => {
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

  it('keeps large numbers and duplicate keys', () => {
    const text = '{"a":12345678901234567890,"a":1.0}';
    expect(prettyJson(text).replace(/\s/g, '')).toBe(text);
  });

  it.each([
    ['  "name": "a: b"', '  "name"', ': "a: b"'],
    ['- name: x', '- name', ': x'],
    ['  - just a text', '', '  - just a text'],
    ['see https://example.com', '', 'see https://example.com'],
  ])('splits %j after the key %j', (line, key, rest) => {
    expect(splitAtKey(line)).toEqual({ key, rest });
  });
});
