import { describe, expect, it } from 'vitest';
import { chosenLabel, toggled } from './choice';

const choices = [
  { value: 'a', label: 'Apple' },
  { value: 'b', label: 'Pear' },
];

describe('a choice', () => {
  it.each([
    [[], 'Fruit'],
    [['b'], 'Fruit: Pear'],
    [['a', 'b'], 'Fruit: Apple +1'],
    [['gone'], 'Fruit: gone'],
  ])('of %j is told as %s', (chosen, label) => {
    expect(chosenLabel('Fruit', choices, chosen)).toBe(label);
  });

  it('is taken and given up again', () => {
    expect(toggled(['a'], 'b')).toEqual(['a', 'b']);
    expect(toggled(['a', 'b'], 'a')).toEqual(['b']);
  });
});
