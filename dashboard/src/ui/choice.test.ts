import { describe, expect, it } from 'vitest';
import { chosenLabel, toggle } from './choice';

const choices = [
  { value: 'a', label: 'Apple' },
  { value: 'b', label: 'Pear' },
];

describe('multiple choice', () => {
  it.each([
    [[], 'Fruit'],
    [['b'], 'Fruit: Pear'],
    [['a', 'b'], 'Fruit: Apple +1'],
    [['gone'], 'Fruit: gone'],
  ])('labels %j as %s', (chosen, label) => {
    expect(chosenLabel('Fruit', choices, chosen)).toBe(label);
  });

  it('toggles values', () => {
    expect(toggle(['a'], 'b')).toEqual(['a', 'b']);
    expect(toggle(['a', 'b'], 'a')).toEqual(['b']);
  });
});
