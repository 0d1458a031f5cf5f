/**
 * Text of a model as readable Markdown. The text is not trusted: HTML in it is shown as it is written, images are named and not
 * loaded, links say that they lead away. What would be too much to read as Markdown is shown as plain text.
 */
import Box from '@mui/material/Box';
import { memo } from 'react';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { isReadableMarkdown, lowerHeadings } from './markdown';
import { markdownParts } from './markdownParts';
import { markdownStyle } from './markdownStyle';
import { PlainText } from './PlainText';

const extensions = [remarkGfm, () => lowerHeadings];

/** Addresses are judged where links and images are drawn, so that what is refused can still be read there. */
const asWritten = (address: string) => address;

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  if (!isReadableMarkdown(text)) return <PlainText text={text} />;
  return (
    <Box sx={markdownStyle}>
      <ReactMarkdown remarkPlugins={extensions} components={markdownParts} urlTransform={asWritten}>
        {text}
      </ReactMarkdown>
    </Box>
  );
});
