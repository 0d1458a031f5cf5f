/** Label and toggling of a multiple choice. Pure. */

export function chosenLabel(
  name: string,
  choices: readonly { value: string; label: string }[],
  chosen: readonly string[],
): string {
  const [first, ...others] = chosen;
  if (first === undefined) return name;
  const label = choices.find((choice) => choice.value === first)?.label ?? first;
  return others.length === 0 ? `${name}: ${label}` : `${name}: ${label} +${others.length}`;
}

export function toggle<Value>(chosen: readonly Value[], value: Value): Value[] {
  return chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value];
}
