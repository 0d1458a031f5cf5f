/** The timeline with its search, the jump to the live end, and its empty, loading and error states. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import GlobalStyles from '@mui/material/GlobalStyles';
import Skeleton from '@mui/material/Skeleton';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useMemo } from 'react';
import { wholeCount } from '../../format/count';
import { toSentence } from '../../format/sentence';
import { type FeedState, isPermanent } from '../../live/sessionFeed';
import { Icon } from '../../ui/Icon';
import { sessionRoute } from '../route';
import { linkTarget, missingNote } from './anchor';
import { rowsOf } from './rows';
import { SearchBar } from './SearchBar';
import type { TimelineSection } from './sections';
import { Timeline } from './Timeline';
import { HIGHLIGHT, useHighlight } from './useHighlight';
import { useNavigation } from './useNavigation';
import { useTimelineList } from './useTimelineList';

export interface TimelinePanelProps {
  sections: readonly TimelineSection[];
  feed: FeedState;
  isLive: boolean;
}

export function TimelinePanel({ sections, feed, isLive }: TimelinePanelProps) {
  const hash = useLocation({ select: (location) => location.hash });
  const link = linkTarget(hash, sessionRoute.useSearch());
  const navigation = useNavigation(sections, link, feed.isLoaded);
  const { openTabs, search, target } = navigation;
  const { texts, entries } = feed.stream;
  const rows = useMemo(() => rowsOf(sections, openTabs, texts), [sections, openTabs, texts]);
  // A link to an entry takes precedence over following the live end.
  const list = useTimelineList(rows, isLive, isLive && !link ? 'at_end' : 'at_top');
  const goToTarget = useEffectEvent(() => {
    const index = rows.findIndex((row) => row.key === target?.row);
    if (index !== -1) list.goTo(index);
  });
  useEffect(() => {
    if (target) goToTarget();
  }, [target]);
  useHighlight(list.listRef, search.query);
  return (
    <Box component="section" aria-labelledby="timeline-title">
      <GlobalStyles styles={pageStyles} />
      <Box sx={toolbar}>
        <Typography id="timeline-title" component="h2" variant="h6" sx={{ flex: 1, whiteSpace: 'nowrap' }}>
          Timeline <Count count={entries.length} />
        </Typography>
        <SearchBar search={search} />
      </Box>
      {feed.failure && (
        <Alert severity="warning" sx={{ my: 1 }}>
          The timeline could not be loaded. {toSentence(feed.failure.message)}
          {!isPermanent(feed.failure) && ' Retrying.'}
        </Alert>
      )}
      {link && feed.isLoaded && <MissingTarget note={missingNote(link, sections, isLive)} />}
      {rows.length === 0 && <Empty isLoaded={feed.isLoaded} isLive={isLive} />}
      <Timeline rows={rows} list={list} chosen={navigation.chosen} onOpenTab={navigation.onOpenTab} />
      {isLive && !list.follow.follows && <JumpToLive onJump={list.follow.jumpToEnd} />}
    </Box>
  );
}

/** Says that the link leads nowhere. */
function MissingTarget({ note }: { note: string | null }) {
  if (note === null) return null;
  return (
    <Alert severity="info" role="status" sx={{ my: 1 }}>
      {note}
    </Alert>
  );
}

function Count({ count }: { count: number }) {
  return (
    <Box component="span" sx={{ ml: 1, color: 'text.secondary', fontSize: 13, fontWeight: 400 }}>
      {wholeCount(count)} {count === 1 ? 'entry' : 'entries'}
    </Box>
  );
}

function Empty({ isLoaded, isLive }: { isLoaded: boolean; isLive: boolean }) {
  if (!isLoaded) {
    return (
      <Stack role="status" aria-label="Loading timeline" spacing={1} sx={{ mt: 1 }}>
        {[1, 2, 3].map((line) => (
          <Skeleton key={line} variant="rounded" height={56} />
        ))}
      </Stack>
    );
  }
  return (
    <Typography sx={{ color: 'text.secondary', py: 2 }}>
      {isLive ? 'No entries yet. They will appear here automatically.' : 'No entries were recorded.'}
    </Typography>
  );
}

function JumpToLive({ onJump }: { onJump: () => void }) {
  return (
    <Box
      sx={{
        position: 'fixed',
        bottom: 20,
        left: 0,
        right: 0,
        display: 'grid',
        justifyItems: 'center',
        zIndex: 3,
        pointerEvents: 'none',
      }}
    >
      <Button
        variant="contained"
        startIcon={<Icon name="down" size={14} />}
        onClick={onJump}
        sx={{ pointerEvents: 'auto', boxShadow: 4 }}
      >
        Jump to live
      </Button>
    </Box>
  );
}

const pageStyles = {
  // The list handles scroll anchoring itself.
  html: { overflowAnchor: 'none' },
  [`::highlight(${HIGHLIGHT})`]: { backgroundColor: '#f5c518', color: '#000' },
} as const;

const toolbar = {
  position: 'sticky',
  // Below the title bar.
  top: 48,
  zIndex: 2,
  display: 'flex',
  alignItems: 'center',
  gap: 2,
  py: 1,
  bgcolor: 'background.default',
  borderBottom: 1,
  borderColor: 'divider',
};
