/** A coloured dot before a word. The word carries the meaning; the dot only makes it quick to find. */
import Box from '@mui/material/Box';
import { type Tone, toneColours } from './tone';

export function Dot({ tone }: { tone: Tone }) {
  return (
    <Box
      component="span"
      aria-hidden
      sx={{ flex: 'none', width: 8, height: 8, borderRadius: '50%', bgcolor: toneColours[tone] }}
    />
  );
}
