/** A scrollable box for long text that renders only the visible lines. */
import Box from '@mui/material/Box';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { monospace } from './monospace';
import { lineAt, linesOf } from './text';

const LINE_HEIGHT = 19;
const OVERSCAN = 20;

export interface LineViewProps {
  text: string;
  reveal: number | null;
}

export function LineView({ text, reveal }: LineViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => linesOf(text), [text]);
  const first = reveal === null ? 0 : Math.max(0, lineAt(lines, reveal) - 3);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: OVERSCAN,
    initialOffset: first * LINE_HEIGHT,
  });
  return (
    <Box
      ref={box}
      role="group"
      aria-label="Full text"
      tabIndex={0}
      sx={{ ...monospace, maxHeight: '26rem', overflow: 'auto', overscrollBehavior: 'contain' }}
    >
      <Box sx={{ position: 'relative', height: virtual.getTotalSize(), minWidth: 'max-content' }}>
        <Box sx={{ transform: `translateY(${virtual.getVirtualItems()[0]?.start ?? 0}px)` }}>
          {virtual.getVirtualItems().map(({ index }) => (
            <Box key={index} sx={{ height: LINE_HEIGHT, whiteSpace: 'pre', unicodeBidi: 'plaintext' }}>
              {lines[index]}
            </Box>
          ))}
        </Box>
      </Box>
    </Box>
  );
}
