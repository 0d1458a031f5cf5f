/**
 * Text of a model as readable Markdown. The text is not trusted: HTML in it is shown as it is written, images are named and not
 * loaded, links say that they lead away. What would be too much to read as Markdown is shown as plain text.
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
  return <Box sx={markdownStyle}>{read(text)}</Box>;
});

const extensions = [remarkGfm, () => lowerHeadings];

/** Addresses are judged where links and images are drawn, so that what is refused can still be read there. */
const asWritten = (address: string) => address;

/** Texts that were read lately, the oldest first: a list that is scrolled draws the same ones again and again. */
const lately = new Map<string, ReactElement>();
const KEPT = 100;

function read(text: string): ReactElement {
  const known = lately.get(text);
  if (known) return known;
  const drawn = ReactMarkdown({
    children: text,
    remarkPlugins: extensions,
    components: markdownParts,
    urlTransform: asWritten,
  });
  lately.set(text, drawn);
  const [oldest] = lately.keys();
  if (lately.size > KEPT && oldest !== undefined) lately.delete(oldest);
  return drawn;
}
