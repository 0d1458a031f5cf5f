import { describe, expect, it } from 'vitest';
import { type ColorScheme, nextMode, schemeLabel, type ThemeMode } from './scheme';

describe('theme button', () => {
  it.each<[ColorScheme, ThemeMode[]]>([
    ['light', ['system', 'dark', 'light', 'system']],
    ['dark', ['system', 'light', 'dark', 'system']],
  ])('on a %s system cycles through %j', (system, modes) => {
    const walked = modes
      .slice(1)
      .reduce<ThemeMode[]>((seen) => [...seen, nextMode(seen.at(-1) ?? 'system', system)], ['system']);
    expect(walked).toEqual(modes);
  });

  it('names the current and the next theme', () => {
    expect(schemeLabel('system', 'light')).toBe('Theme: system. Switch to dark.');
  });
});
