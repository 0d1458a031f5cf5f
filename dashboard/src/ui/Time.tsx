/** A moment as a short text, with the exact one for whoever points at it and for machines. */
import type { Moment } from '../format/time';

export function Time({ moment, text = moment.text }: { moment: Moment; text?: string }) {
  return (
    <time dateTime={moment.iso} title={moment.exact}>
      {text}
    </time>
  );
}
