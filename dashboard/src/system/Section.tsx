/** A part of the system page: a heading, and what the server said, is about to say, or would not say. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { sentence } from '../format/sentence';
import { Failure } from '../ui/Failure';
import { staleReason } from '../ui/failure';

export interface SectionProps<Answer> {
  title: string;
  query: UseQueryResult<Answer>;
  children: (answer: Answer) => ReactNode;
}

export function Section<Answer>({ title, query, children }: SectionProps<Answer>) {
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

/** What was once said stays, with a word on why it may be old. */
function Content<Answer>({ title, query, children }: SectionProps<Answer>) {
  const { data, error, refetch } = query;
  if (data === undefined) {
    if (error) return <Failure what={title} error={error} onRetry={() => void refetch()} />;
    return <Skeleton role="status" aria-label={`Loading: ${title}`} variant="rounded" height={96} />;
  }
  const stale = staleReason(error);
  return (
    <>
      {stale !== null && (
        <Alert severity="warning" sx={{ mb: 1 }}>{`This may be old. ${sentence(stale)}`}</Alert>
      )}
      {children(data)}
    </>
  );
}
