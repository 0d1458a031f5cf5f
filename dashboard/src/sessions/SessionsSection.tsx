/** The list below what runs now: its filters, its table, and what has come since the reader scrolled down. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { Link } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { wholeCount } from '../format/count';
import { Failure } from '../ui/Failure';
import { Notice } from '../ui/Notice';
import { useScrolledDown } from '../ui/useScrolledDown';
import { isFiltered, type SessionFilters } from './filters';
import { heldBack, waitingLabel } from './list';
import { sessionsView } from './model';
import type { useSessionList } from './query';
import { SessionsTable } from './SessionsTable';
import { ROW_HEIGHTS } from './tableLook';

const SKELETON_ROWS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

export interface SessionsSectionProps {
  filters: SessionFilters;
  onClear: () => void;
  query: ReturnType<typeof useSessionList>;
}

export function SessionsSection({ filters, onClear, query }: SessionsSectionProps) {
  const { list, error } = query;
  const view = sessionsView({ count: list?.sessions.length, error, isFiltered: isFiltered(filters) });
  switch (view.kind) {
    case 'loading':
      return <LoadingRows />;
    case 'failed':
      return <Failure what="Sessions" error={view.error} onRetry={query.retry} />;
    case 'empty':
      return (
        <Notice title="No investigations yet" action={<SubmitButton />}>
          An investigation starts when an alert is sent to this server. It will appear here by itself.
        </Notice>
      );
    case 'no_match':
      return (
        <Notice title="No session matches" action={<Button onClick={onClear}>Clear filters</Button>}>
          Take away a filter, or search for the beginning of a word. New sessions that match will appear here
          by themselves.
        </Notice>
      );
    case 'table':
      return <ReadList query={query} stale={view.stale} />;
  }
}

function ReadList({ query, stale }: { query: SessionsSectionProps['query']; stale: string | null }) {
  const { list } = query;
  const sessions = list?.sessions ?? [];
  const hasGap = list?.hasGap ?? false;
  const firstRead = useFirstRead(sessions[0]?.session_id ?? null);
  const { shown, waiting } = heldBack(sessions, firstRead);
  useWholeAtTop(hasGap && firstRead === null, () => void query.reset());
  return (
    <Box sx={{ display: 'grid', gap: 1.5, minWidth: 0 }}>
      {stale && <Alert severity="warning">This list could not be brought up to date. {stale}</Alert>}
      <Box>
        <NewPill label={waiting > 0 ? waitingLabel(waiting, hasGap) : null} />
        <SessionsTable
          sessions={shown}
          isWhole={query.isWhole}
          onNearEnd={() => {
            if (!query.isWhole && !query.isLoadingMore && !query.loadMoreFailed) query.loadMore();
          }}
        />
      </Box>
      <ListEnd query={query} count={shown.length} />
    </Box>
  );
}

/** The session on top when the reader left the top of the page; none while the reader is there. */
function useFirstRead(newest: string | null): string | null {
  const isScrolledDown = useScrolledDown();
  const [firstRead, setFirstRead] = useState<string | null>(null);
  // Remembered while drawing, so that not even one frame shows what came in between.
  if (isScrolledDown && firstRead === null) setFirstRead(newest);
  if (!isScrolledDown && firstRead !== null) setFirstRead(null);
  return isScrolledDown ? (firstRead ?? newest) : null;
}

/** So much came that the pages do not meet: at the top nobody reads on from the old ones, so they are given up. */
function useWholeAtTop(isBroken: boolean, onReset: () => void): void {
  const reset = useEffectEvent(onReset);
  useEffect(() => {
    if (isBroken) reset();
  }, [isBroken]);
}

function NewPill({ label }: { label: string | null }) {
  return (
    <Box
      role="status"
      sx={{ position: 'sticky', top: 56, zIndex: 2, height: 0, display: 'grid', justifyItems: 'center' }}
    >
      {label !== null && (
        <Button
          variant="contained"
          onClick={() => window.scrollTo({ top: 0 })}
          sx={{ borderRadius: 99, boxShadow: 3, height: 30 }}
        >
          {label}
        </Button>
      )}
    </Box>
  );
}

function ListEnd({ query, count }: { query: SessionsSectionProps['query']; count: number }) {
  if (query.loadMoreFailed) {
    return (
      <Alert severity="warning" action={<Button onClick={query.loadMore}>Try again</Button>}>
        Older sessions could not be loaded.
      </Alert>
    );
  }
  return (
    <Typography variant="body2" sx={{ color: 'text.secondary', textAlign: 'center' }}>
      {query.isWhole ? `${wholeCount(count)} in all` : 'Loading older sessions…'}
    </Typography>
  );
}

function SubmitButton() {
  return (
    <Button component={Link} to="/submit">
      Submit an alert
    </Button>
  );
}

export function LoadingRows() {
  return (
    <Box role="status" aria-label="Loading sessions" sx={{ display: 'grid', gap: '4px', pt: '34px' }}>
      {SKELETON_ROWS.map((row) => (
        <Skeleton key={row} variant="rounded" height={ROW_HEIGHTS.desktop - 4} />
      ))}
    </Box>
  );
}
