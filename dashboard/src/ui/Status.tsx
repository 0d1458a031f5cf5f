/** Where something stands: a mark and a word in the colour of its tone. */
import Box from '@mui/material/Box';
import { Icon } from './Icon';
import type { StatusLook } from './status';
import { toneColours } from './tone';

export interface StatusProps {
  look: StatusLook;
  size?: number;
}

export function Status({ look, size = 16 }: StatusProps) {
  return (
    <Box
      component="span"
      sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.75, whiteSpace: 'nowrap', fontWeight: 500 }}
    >
      <Box component="span" sx={{ display: 'inline-flex', color: toneColours[look.tone] }}>
        <Icon name={look.mark} size={size} turns={look.tone === 'active'} />
      </Box>
      {look.label}
    </Box>
  );
}
