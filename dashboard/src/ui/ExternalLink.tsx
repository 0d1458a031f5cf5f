/** A link to another site. It is marked as external and sends no referrer. */
import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { Icon } from './Icon';

export interface ExternalLinkProps {
  /** Checked with `safeUrl`. */
  url: string;
  children: ReactNode;
}

export function ExternalLink({ url, children }: ExternalLinkProps) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
      {children}
      <Box component="span" aria-label="(external link)" role="img" sx={{ ml: 0.25, whiteSpace: 'nowrap' }}>
        <Icon name="external" size={11} />
      </Box>
    </a>
  );
}
