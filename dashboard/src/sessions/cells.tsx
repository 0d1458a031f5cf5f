/** The cells of the sessions table. Truncated texts have a tooltip. */
import Box from '@mui/material/Box';
import { withIndexKeys } from '../ui/indexKeys';
import { Status } from '../ui/Status';
import { Time } from '../ui/Time';
import type { ExcerptPart, SessionRow } from './model';

export interface CellProps {
  row: SessionRow;
}

/** On phones these lines replace the other columns. */
export function PhoneLines({ row }: CellProps) {
  return (
    <Box className="on-phone">
      <span className="cut">
        <Status look={row.status} size={14} /> <span className="muted">{row.chain}</span>
      </span>
      <span className="cut muted">
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

/** Untrusted text of alerts and models: it is isolated, so it cannot change the direction of the row. */
export function NoteLine({ parts }: { parts: readonly ExcerptPart[] }) {
  if (parts.length === 0) return null;
  const whole = parts.map((part) => part.text).join('');
  return (
    <bdi className="cut muted" title={whole}>
      {withIndexKeys(parts).map(({ key, item }) =>
        item.matched ? <mark key={key}>{item.text}</mark> : item.text,
      )}
    </bdi>
  );
}
