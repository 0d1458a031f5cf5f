/** The cells of the sessions table. What may be cut short shows the rest when pointed at. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Dot } from '../ui/Dot';
import type { SessionRow } from './model';

export function StatusCell({ row }: { row: SessionRow }) {
  return (
    <>
      <Box sx={{ display: 'flex', alignItems: 'baseline', gap: 1 }}>
        <Dot tone={row.status.tone} />
        {row.status.label}
      </Box>
      {row.remark && <Remark text={row.remark} />}
    </>
  );
}

/** A phone shows this column alone, so everything else stands below the alert type there. */
export function AlertCell({ row }: { row: SessionRow }) {
  return (
    <>
      <TextCell text={row.alertType} />
      <OnPhone>
        <StatusCell row={row} />
        <Remark text={row.chain} />
        <Remark text={`Stages ${row.stages} · ${row.created.text}`} />
      </OnPhone>
    </>
  );
}

export function TextCell({ text }: { text: string }) {
  return <span title={text}>{text}</span>;
}

export function CreatedCell({ row }: { row: SessionRow }) {
  return (
    <time dateTime={row.created.iso} title={row.created.exact}>
      {row.created.text}
    </time>
  );
}

export function TokensCell({ row }: { row: SessionRow }) {
  return <span title={row.tokens.detail}>{row.tokens.text}</span>;
}

function Remark({ text }: { text: string }) {
  return (
    <Typography variant="caption" title={text} noWrap sx={{ display: 'block', color: 'text.secondary' }}>
      {text}
    </Typography>
  );
}

function OnPhone({ children }: { children: ReactNode }) {
  return <Box sx={(theme) => ({ [theme.breakpoints.up('sm')]: { display: 'none' } })}>{children}</Box>;
}
