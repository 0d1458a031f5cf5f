/** A short time with the exact one as tooltip and `dateTime`. */
import type { Moment } from '../format/time';

export function Time({ moment, text = moment.text }: { moment: Moment; text?: string }) {
  return (
    <time dateTime={moment.iso} title={moment.exact}>
      {text}
    </time>
  );
}
