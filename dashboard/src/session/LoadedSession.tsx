/** A loaded session: header, chain, result, alert, timeline and chat. */
import Alert from '@mui/material/Alert';
import Stack from '@mui/material/Stack';
import { useMemo } from 'react';
import { ApiError } from '../api/client';
import type { SessionDetail } from '../api/types';
import { toSentence } from '../format/sentence';
import type { FeedState } from '../live/sessionFeed';
import { hasEnded } from '../ui/status';
import { useNow } from '../ui/useNow';
import { AlertPanel } from './AlertPanel';
import { ChainCards } from './ChainCards';
import { stageCards } from './chain';
import { ChatPanel } from './chat/ChatPanel';
import { sessionHeader, statusOf } from './model';
import { ResultPanel } from './ResultPanel';
import { SessionHeader } from './SessionHeader';
import { buildTimeline } from './timeline/sections';
import { TimelinePanel } from './timeline/TimelinePanel';
import { useSession } from './useSession';

export interface LoadedSessionProps {
  detail: SessionDetail;
  /** Why the last refetch failed. */
  failure: Error | null;
}

export function LoadedSession({ detail, failure }: LoadedSessionProps) {
  const feed = useSession(detail);
  const { entries, stages, executions } = feed.stream;
  const status = statusOf(detail, feed.stream);
  // Streamed texts change with every frame, but nothing computed here depends on them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only these parts of the stream are used
  const { cards, timeline } = useMemo(() => {
    const cards = stageCards(detail, feed.stream);
    return { cards, timeline: buildTimeline(entries, cards, detail, feed.stream) };
  }, [detail, entries, stages, executions]);
  return (
    <Stack spacing={3} sx={{ minWidth: 0, fontSize: '0.875rem' }}>
      <title>{`${detail.alert_type} · TARSy`}</title>
      <StaleNotice failure={failure} />
      <LiveHeader detail={detail} feed={feed} />
      <ChainCards cards={cards} />
      <ResultPanel summary={detail.executive_summary} analysis={detail.final_analysis} />
      <AlertPanel input={detail.input} />
      <TimelinePanel sections={timeline.sections} feed={feed} isLive={!hasEnded(status)} />
      <ChatPanel detail={detail} status={status} steps={timeline.chat} texts={feed.stream.texts} />
    </Stack>
  );
}

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** Only the header has a clock, so only the header re-renders every second. */
function LiveHeader({ detail, feed }: { detail: SessionDetail; feed: FeedState }) {
  const isLive = !hasEnded(statusOf(detail, feed.stream));
  const nowMs = useNow(isLive ? SECOND_MS : HOUR_MS);
  return <SessionHeader head={sessionHeader(detail, feed.stream, nowMs)} sessionId={detail.session_id} />;
}

/** The shell already reports an unreachable server; other errors are shown here. */
function StaleNotice({ failure }: { failure: Error | null }) {
  if (!failure || (failure instanceof ApiError && failure.kind === 'unreachable')) return null;
  return (
    <Alert severity="warning">
      This page could not be refreshed; its data may be out of date. {toSentence(failure.message)}
    </Alert>
  );
}
