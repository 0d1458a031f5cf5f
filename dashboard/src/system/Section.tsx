/** A section of the system page, with its loading and error states. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { toSentence } from '../format/sentence';
import { Failure } from '../ui/Failure';
import { staleReason } from '../ui/failure';

export interface SectionProps<Data> {
  title: string;
  query: UseQueryResult<Data>;
  children: (data: Data) => ReactNode;
}

export function Section<Data>({ title, query, children }: SectionProps<Data>) {
  const heading = useId();
  return (
    <Box component="section" aria-labelledby={heading} sx={{ minWidth: 0 }}>
      <Typography component="h2" id={heading} sx={{ fontSize: 14, fontWeight: 600, mb: 1 }}>
        {title}
      </Typography>
      <Content title={title} query={query}>
        {children}
      </Content>
    </Box>
  );
}

/** Loaded data stays visible, with a warning if it is out of date. */
function Content<Data>({ title, query, children }: SectionProps<Data>) {
  const { data, error, refetch } = query;
  if (data === undefined) {
    if (error) return <Failure what={title} error={error} onRetry={() => void refetch()} />;
    return <Skeleton role="status" aria-label={`Loading ${title}`} variant="rounded" height={96} />;
  }
  const stale = staleReason(error);
  return (
    <>
      {stale !== null && (
        <Alert severity="warning" sx={{ mb: 1 }}>{`This may be out of date. ${toSentence(stale)}`}</Alert>
      )}
      {children(data)}
    </>
  );
}
