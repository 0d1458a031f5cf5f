/** Formats microseconds since 1970 as local time: short, exact, and machine-readable. */

export interface Moment {
  /** Local and short, for tables. */
  text: string;
  /** Local time with seconds and without the date, for the timeline. */
  clock: string;
  /** Local and exact, for tooltips. */
  exact: string;
  /** ISO 8601, for the `dateTime` attribute of `<time>`. */
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
