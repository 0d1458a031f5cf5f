/** The web pages that a model used. Titles and URLs are untrusted: only web addresses become links. */
import Box from '@mui/material/Box';
import { ExternalLink } from '../../ui/ExternalLink';
import { safeUrl } from '../../ui/markdownRules';
import type { WebSource } from './row';

export function SourceList({ sources }: { sources: readonly WebSource[] }) {
  if (sources.length === 0) return null;
  return (
    <Box component="ul" aria-label="Sources" sx={list}>
      {sources.map(({ uri, title }, index) => {
        const url = safeUrl(uri);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same page may be listed twice, and the list never changes
          <li key={index}>{url === null ? title : <ExternalLink url={url}>{title}</ExternalLink>}</li>
        );
      })}
    </Box>
  );
}

const list = {
  m: 0,
  mt: 0.5,
  pl: 2.5,
  overflowWrap: 'anywhere',
  unicodeBidi: 'plaintext',
  '& a': { color: 'primary.main' },
};
