import { describe, expect, it } from 'vitest';
import { type Mode, nextMode, type Scheme, schemeLabel } from './scheme';

describe('the theme button', () => {
  it.each<[Scheme, Mode[]]>([
    ['light', ['system', 'dark', 'light', 'system']],
    ['dark', ['system', 'light', 'dark', 'system']],
  ])('on a %s system goes through %j', (system, modes) => {
    const walked = modes
      .slice(1)
      .reduce<Mode[]>((seen) => [...seen, nextMode(seen.at(-1) ?? 'system', system)], ['system']);
    expect(walked).toEqual(modes);
  });

  it('says where it stands and where it leads', () => {
    expect(schemeLabel('system', 'light')).toBe('Theme: as the system. Change to dark.');
  });
});
