/** Microseconds since 1970 as a reader wants them: local, short, with the exact moment beside it. */

export interface Moment {
  /** Local and short, for a table. */
  text: string;
  /** Local, to the second and without the day, for lists of what happened in a row. */
  clock: string;
  /** Local and exact, for whoever points at it. */
  exact: string;
  /** For machines: the `dateTime` of a `<time>`. */
  iso: string;
}

const short = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const long = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

export function momentOf(atUs: number): Moment {
  const date = new Date(atUs / 1000);
  return {
    text: short.format(date),
    clock: clock.format(date),
    exact: long.format(date),
    iso: date.toISOString(),
  };
}
