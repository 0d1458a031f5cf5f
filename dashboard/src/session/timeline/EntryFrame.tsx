/** The frame of a timeline entry: icon, title, time, and a link to the entry. */
import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../../ui/Icon';
import { type Tone, toneColors } from '../../ui/tone';
import { eventAnchor } from './anchor';
import type { EntryRow } from './row';

export interface EntryFrameProps {
  row: EntryRow;
  icon: IconName;
  title: string;
  tone?: Tone;
  isChosen: boolean;
  children: ReactNode;
}

export function EntryFrame({ row, icon, title, tone = 'neutral', isChosen, children }: EntryFrameProps) {
  return (
    <Box
      component="article"
      aria-label={`${title}, ${row.at.text}`}
      aria-current={isChosen ? 'true' : undefined}
      sx={frame}
    >
      <Box sx={{ display: 'flex', justifyContent: 'center', pt: '2px', color: toneColors[tone] }}>
        <Icon name={icon} />
      </Box>
      <Box sx={{ minWidth: 0 }}>
        <Box sx={{ display: 'flex', alignItems: 'baseline', gap: 1, mb: 0.25, fontSize: 12 }}>
          <Box component="span" sx={{ fontWeight: 650, color: toneColors[tone] }}>
            {title}
          </Box>
          <Box
            component="a"
            href={`#${eventAnchor(row.eventIds[0] ?? row.key)}`}
            title={`${row.at.exact}. Link to this entry`}
            sx={link}
          >
            <time dateTime={row.at.iso}>{row.at.clock}</time>
          </Box>
        </Box>
        {children}
      </Box>
    </Box>
  );
}

const frame = {
  display: 'grid',
  gridTemplateColumns: '28px minmax(0, 1fr)',
  gap: 1,
  py: 1,
  px: 1,
  borderRadius: 1,
  '&[aria-current]': { bgcolor: 'action.selected', outline: 1, outlineColor: 'primary.main' },
};

const link = {
  color: 'text.secondary',
  textDecoration: 'none',
  fontVariantNumeric: 'tabular-nums',
  '&:hover, &:focus-visible': { textDecoration: 'underline' },
};
