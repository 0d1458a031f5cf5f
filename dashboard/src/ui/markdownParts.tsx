/** React components for Markdown elements that differ from plain HTML. */
import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import type { Components } from 'react-markdown';
import { CopyButton } from './CopyButton';
import { ExternalLink } from './ExternalLink';
import { safeUrl } from './markdownRules';

/** Returns the text of a code element, which contains only text. */
function codeText(children: ReactNode): string {
  if (typeof children === 'string') return children;
  if (Array.isArray(children)) return children.map(codeText).join('');
  if (typeof children === 'object' && children !== null && 'props' in children) {
    return codeText((children.props as { children?: ReactNode }).children);
  }
  return '';
}

export const markdownParts: Components = {
  a: ({ href, children }) => {
    const url = safeUrl(href);
    return url === null ? <span>{children}</span> : <ExternalLink url={url}>{children}</ExternalLink>;
  },
  img: ({ src, alt }) => {
    const url = safeUrl(typeof src === 'string' ? src : undefined);
    const name = `image: ${alt || 'unnamed'}`;
    return url === null ? <span>[{name}]</span> : <ExternalLink url={url}>[{name}]</ExternalLink>;
  },
  pre: ({ children }) => (
    <Box sx={{ position: 'relative' }}>
      <pre // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
        tabIndex={0}
      >
        {children}
      </pre>
      <Box sx={{ position: 'absolute', top: 2, right: 2, bgcolor: 'background.paper', borderRadius: 1 }}>
        <CopyButton text={codeText(children)} what="this code" />
      </Box>
    </Box>
  ),
  table: ({ children }) => (
    <Box sx={{ overflowX: 'auto' }} tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </Box>
  ),
  input: ({ checked }) => (
    <input
      type="checkbox"
      checked={checked ?? false}
      disabled
      readOnly
      aria-label={checked ? 'done' : 'to do'}
    />
  ),
};
