/** A session that is there: its head, its chain, what came in, what came out, everything in between, and the chat. */
import Alert from '@mui/material/Alert';
import Stack from '@mui/material/Stack';
import { useMemo } from 'react';
import { ApiError } from '../api/client';
import type { SessionDetail } from '../api/types';
import { sentence } from '../format/sentence';
import type { FeedState } from '../live/sessionFeed';
import { hasEnded } from '../ui/status';
import { useNow } from '../ui/useNow';
import { AlertPanel } from './AlertPanel';
import { ChainCards } from './ChainCards';
import { stageCards } from './chain';
import { ChatPanel } from './chat/ChatPanel';
import { Head } from './Head';
import { sessionHead, statusOf } from './model';
import { ResultPanel } from './ResultPanel';
import { chronicleOf } from './timeline/sections';
import { TimelinePanel } from './timeline/TimelinePanel';
import { useSession } from './useSession';

export interface LoadedSessionProps {
  detail: SessionDetail;
  /** Why the last attempt to ask for it again failed. */
  failure: Error | null;
}

export function LoadedSession({ detail, failure }: LoadedSessionProps) {
  const feed = useSession(detail);
  const { entries, stages, executions } = feed.stream;
  const status = statusOf(detail, feed.stream);
  // Texts that are being written change with every frame, and nothing below does because of them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the stream only these parts are looked at
  const { cards, chronicle } = useMemo(() => {
    const cards = stageCards(detail, feed.stream);
    return { cards, chronicle: chronicleOf(entries, cards, detail, feed.stream) };
  }, [detail, entries, stages, executions]);
  return (
    <Stack spacing={3} sx={{ minWidth: 0, fontSize: '0.875rem' }}>
      <title>{`${detail.alert_type} · TARSy`}</title>
      <StaleNotice failure={failure} />
      <LiveHead detail={detail} feed={feed} />
      <ChainCards cards={cards} />
      <ResultPanel summary={detail.executive_summary} analysis={detail.final_analysis} />
      <AlertPanel input={detail.input} />
      <TimelinePanel sections={chronicle.sections} feed={feed} isLive={!hasEnded(status)} />
      <ChatPanel detail={detail} status={status} steps={chronicle.chat} texts={feed.stream.texts} />
    </Stack>
  );
}

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** Only the head has a clock, so only the head is drawn anew when it ticks. */
function LiveHead({ detail, feed }: { detail: SessionDetail; feed: FeedState }) {
  const isLive = !hasEnded(statusOf(detail, feed.stream));
  const nowMs = useNow(isLive ? SECOND_MS : HOUR_MS);
  return <Head head={sessionHead(detail, feed.stream, nowMs)} sessionId={detail.session_id} />;
}

/** The shell already says that nobody answers; only other faults are the page's to tell. */
function StaleNotice({ failure }: { failure: Error | null }) {
  if (!failure || (failure instanceof ApiError && failure.kind === 'unreachable')) return null;
  return (
    <Alert severity="warning">
      What you see could not be brought up to date. {sentence(failure.message)}
    </Alert>
  );
}
