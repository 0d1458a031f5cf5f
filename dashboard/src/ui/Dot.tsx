/** A colored dot before a label. The label carries the meaning; the dot makes it easy to find. */
import Box from '@mui/material/Box';
import { type Tone, toneColors } from './tone';

export function Dot({ tone }: { tone: Tone }) {
  return (
    <Box
      component="span"
      aria-hidden
      sx={{ flex: 'none', width: 8, height: 8, borderRadius: '50%', bgcolor: toneColors[tone] }}
    />
  );
}
