/**
 * A text while it is being streamed. It is plain text: parsing Markdown for every chunk would be too slow.
 */
import Box from '@mui/material/Box';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../ui/Icon';
import { useNow } from '../../ui/useNow';
import type { LiveRow } from './row';
import { readWaiting, waitingText } from './waiting';

/** The end of the text that fits on any screen; readers follow the end. */
const SHOWN_CHARACTERS = 6_000;

export function LiveEntry({ row }: { row: LiveRow }) {
  switch (row.part) {
    case 'thinking':
      return (
        <LiveFrame title="Thinking…">
          <StreamedText row={row} color="text.secondary" />
        </LiveFrame>
      );
    case 'text':
      return (
        <LiveFrame title="Writing…">
          <StreamedText row={row} color="text.primary" />
        </LiveFrame>
      );
    case 'model_progress':
      return (
        <LiveFrame title="Waiting for the model">
          <WaitingClock text={row.text} />
        </LiveFrame>
      );
  }
}

function LiveFrame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Box
      component="article"
      aria-label={title}
      aria-busy
      sx={{ display: 'grid', gridTemplateColumns: '28px minmax(0, 1fr)', gap: 1, p: 1 }}
    >
      <Box sx={{ display: 'flex', justifyContent: 'center', pt: '2px', color: 'info.main' }}>
        <Icon name="running" turns />
      </Box>
      <Box sx={{ minWidth: 0 }}>
        <Box sx={{ fontSize: 12, fontWeight: 650, color: 'info.main', mb: 0.25 }}>{title}</Box>
        {children}
      </Box>
    </Box>
  );
}

function StreamedText({ row, color }: { row: LiveRow; color: string }) {
  const isTruncated = row.isTruncated || row.text.length > SHOWN_CHARACTERS;
  return (
    <Box sx={{ ...streamed, color }}>
      {isTruncated && '… '}
      {row.text.slice(-SHOWN_CHARACTERS)}
    </Box>
  );
}

/** Counts from the first text: later ones are rounded to minutes. */
function WaitingClock({ text }: { text: string }) {
  const waiting = readWaiting(text);
  const [startMs] = useState(() => wholeSecond(Date.now()) - (waiting.elapsedMs ?? 0));
  const nowMs = useNow(1_000);
  return (
    <Box sx={{ color: 'text.secondary', overflowWrap: 'anywhere', fontVariantNumeric: 'tabular-nums' }}>
      {waitingText(waiting, startMs, nowMs)}
    </Box>
  );
}

/** `useNow` returns whole seconds. */
const wholeSecond = (ms: number): number => Math.floor(ms / 1_000) * 1_000;

const streamed = {
  maxWidth: '100ch',
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  unicodeBidi: 'plaintext',
  lineHeight: 1.6,
};
