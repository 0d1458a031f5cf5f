/**
 * The session list: table, empty and error states, and the button for sessions that arrived while the user
 * scrolled.
 */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { Link } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { wholeCount } from '../format/count';
import { toSentence } from '../format/sentence';
import { Failure } from '../ui/Failure';
import { Notice } from '../ui/Notice';
import { useScrolledDown } from '../ui/useScrolledDown';
import { isFiltered, type SessionFilters } from './filters';
import { holdBackNew, newCountLabel } from './list';
import { sessionsView } from './model';
import type { useSessionList } from './query';
import { SessionsTable } from './SessionsTable';
import { ROW_HEIGHTS } from './tableStyle';

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
        <Notice title="No sessions yet" action={<SubmitButton />}>
          A session starts when this server receives an alert. New sessions appear here automatically.
        </Notice>
      );
    case 'no_match':
      return (
        <Notice
          title="No sessions match these filters"
          action={<Button onClick={onClear}>Clear filters</Button>}
        >
          Remove a filter, or search for the beginning of a word. New matching sessions appear here
          automatically.
        </Notice>
      );
    case 'table':
      return <LoadedList query={query} stale={view.stale} />;
  }
}

function LoadedList({ query, stale }: { query: SessionsSectionProps['query']; stale: string | null }) {
  const { list } = query;
  const sessions = list?.sessions ?? [];
  const hasGap = list?.hasGap ?? false;
  const topSession = useTopSession(sessions[0]?.session_id ?? null);
  const { shown, newCount } = holdBackNew(sessions, topSession);
  useResetAtTop(hasGap && topSession === null, () => void query.reset());
  return (
    <Box sx={{ display: 'grid', gap: 1.5, minWidth: 0 }}>
      {stale && <Alert severity="warning">This list could not be refreshed. {toSentence(stale)}</Alert>}
      <Box>
        <NewSessionsButton label={newCount > 0 ? newCountLabel(newCount, hasGap) : null} />
        <SessionsTable
          sessions={shown}
          isComplete={query.isComplete}
          onNearEnd={() => {
            if (!query.isComplete && !query.isLoadingMore && !query.loadMoreFailed) query.loadMore();
          }}
        />
      </Box>
      <ListEnd query={query} count={shown.length} />
    </Box>
  );
}

/** Returns the session that was on top when the user scrolled down, or null at the top of the page. */
function useTopSession(newest: string | null): string | null {
  const isScrolledDown = useScrolledDown();
  const [topSession, setTopSession] = useState<string | null>(null);
  // Set during rendering, so that new sessions are not shown for a single frame.
  if (isScrolledDown && topSession === null) setTopSession(newest);
  if (!isScrolledDown && topSession !== null) setTopSession(null);
  return isScrolledDown ? (topSession ?? newest) : null;
}

/**
 * Resets the list when too many sessions are new for the loaded pages to connect. Called with `isDisconnected` only at
 * the top of the page, where dropping the old pages moves nothing.
 */
function useResetAtTop(isDisconnected: boolean, onReset: () => void): void {
  const reset = useEffectEvent(onReset);
  useEffect(() => {
    if (isDisconnected) reset();
  }, [isDisconnected]);
}

function NewSessionsButton({ label }: { label: string | null }) {
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
      <Alert severity="warning" action={<Button onClick={query.loadMore}>Retry</Button>}>
        Older sessions could not be loaded.
      </Alert>
    );
  }
  return (
    <Typography variant="body2" sx={{ color: 'text.secondary', textAlign: 'center' }}>
      {query.isComplete
        ? `${wholeCount(count)} ${count === 1 ? 'session' : 'sessions'}`
        : 'Loading older sessions…'}
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
