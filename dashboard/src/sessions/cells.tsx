/** The cells of the sessions table. What may be cut short shows the rest when pointed at. */
import Box from '@mui/material/Box';
import { placed } from '../ui/placed';
import { Status } from '../ui/Status';
import { Time } from '../ui/Time';
import type { ExcerptPart, SessionRow } from './model';

export interface CellProps {
  row: SessionRow;
}

/** A phone has no column for what stands below the alert type there. */
export function PhoneLines({ row }: CellProps) {
  return (
    <Box className="on-phone">
      <span className="cut">
        <Status look={row.status} size={14} /> <span className="quiet">{row.chain}</span>
      </span>
      <span className="cut quiet">
        <Time moment={row.created} text={row.age} /> · {row.duration} · {row.stages} stages
      </span>
    </Box>
  );
}

export function StatusCell({ row }: CellProps) {
  return <Status look={row.status} size={14} />;
}

export function TextCell({ text }: { text: string }) {
  return (
    <span className="cut" title={text}>
      {text}
    </span>
  );
}

export function AgeCell({ row }: CellProps) {
  return <Time moment={row.created} text={row.age} />;
}

export function TokensCell({ row }: CellProps) {
  return <span title={row.tokens.detail}>{row.tokens.text}</span>;
}

/** Alerts and models wrote this: it keeps to its own line and direction, whatever is in it. */
export function Remark({ parts }: { parts: readonly ExcerptPart[] }) {
  if (parts.length === 0) return null;
  const whole = parts.map((part) => part.text).join('');
  return (
    <bdi className="cut quiet" title={whole}>
      {placed(parts).map(({ key, item }) => (item.matched ? <mark key={key}>{item.text}</mark> : item.text))}
    </bdi>
  );
}
