/**
 * Renders model output as Markdown. The text is untrusted: HTML is shown as text, images are replaced by a
 * link, and links are marked as external. Text that is too expensive to parse is shown as plain text.
 */
import Box from '@mui/material/Box';
import { memo, type ReactElement } from 'react';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { markdownParts } from './markdownParts';
import { isReadableMarkdown, lowerHeadings } from './markdownRules';
import { markdownStyle } from './markdownStyle';
import { PlainText } from './PlainText';

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  if (!isReadableMarkdown(text)) return <PlainText text={text} />;
  return <Box sx={markdownStyle}>{render(text)}</Box>;
});

const extensions = [remarkGfm, () => lowerHeadings];

/** URLs are checked where links and images are rendered, so that a rejected one stays readable as text. */
const keepUrl = (address: string) => address;

/** Recently rendered texts, oldest first: a scrolled list renders the same texts repeatedly. */
const cache = new Map<string, ReactElement>();
const MAX_CACHED = 100;

function render(text: string): ReactElement {
  const known = cache.get(text);
  if (known) return known;
  const element = ReactMarkdown({
    children: text,
    remarkPlugins: extensions,
    components: markdownParts,
    urlTransform: keepUrl,
  });
  cache.set(text, element);
  const [oldest] = cache.keys();
  if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  return element;
}
