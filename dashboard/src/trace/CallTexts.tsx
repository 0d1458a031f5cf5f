/** The content of a call in three tabs: conversation, raw request and raw response. */
import Box from '@mui/material/Box';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { useId, useState } from 'react';
import { CopyButton } from '../ui/CopyButton';
import { withIndexKeys } from '../ui/indexKeys';
import { PlainText } from '../ui/PlainText';
import type { CallDetail, CallPart } from './detail';

type View = 'conversation' | 'request' | 'response';

const labels: Record<View, string> = {
  conversation: 'Conversation',
  request: 'Raw request',
  response: 'Raw response',
};
const views = ['conversation', 'request', 'response'] as const;

export function CallTexts({ detail }: { detail: CallDetail }) {
  const [view, setView] = useState<View>('conversation');
  const id = useId();
  return (
    <Box sx={{ minWidth: 0 }}>
      <Tabs
        value={view}
        onChange={(_event, chosen: View) => setView(chosen)}
        aria-label="Call content"
        sx={{
          minHeight: 34,
          mb: 1.5,
          '& .MuiTab-root': { minHeight: 34, py: 0.5, textTransform: 'none', fontSize: 13 },
        }}
      >
        {views.map((value) => (
          <Tab
            key={value}
            value={value}
            label={labels[value]}
            id={`${id}-${value}`}
            aria-controls={`${id}-panel`}
          />
        ))}
      </Tabs>
      <Box role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${view}`}>
        {view === 'conversation' ? (
          <Conversation parts={detail.parts} />
        ) : (
          <Raw key={view} view={view} text={detail[view]} />
        )}
      </Box>
    </Box>
  );
}

function Raw({ view, text }: { view: 'request' | 'response'; text: string }) {
  return (
    <Box sx={{ position: 'relative', minWidth: 0 }}>
      <Box sx={{ display: 'flex', justifyContent: 'flex-end' }}>
        <CopyButton text={text} what={`the ${view}`} />
      </Box>
      <PlainText text={text} />
    </Box>
  );
}

function Conversation({ parts }: { parts: readonly CallPart[] }) {
  return (
    <Box component="ol" aria-label="Messages" sx={{ m: 0, p: 0, listStyle: 'none', display: 'grid', gap: 1 }}>
      {withIndexKeys(parts).map(({ key, item: part }) => (
        <Box component="li" key={key} sx={{ minWidth: 0 }}>
          <Message part={part} />
        </Box>
      ))}
    </Box>
  );
}

const edges: Record<CallPart['speaker'], string> = {
  system: 'divider',
  user: 'text.secondary',
  assistant: 'primary.main',
  tool: 'secondary.main',
  failure: 'error.main',
};

const PREVIEW_CHARACTERS = 90;

/** Returns the beginning of a collapsed part. */
function previewOf({ blocks }: CallPart): string {
  const text = blocks.map((block) => block.label ?? block.text.slice(0, PREVIEW_CHARACTERS)).join(', ');
  return text.length > PREVIEW_CHARACTERS ? `${text.slice(0, PREVIEW_CHARACTERS)}…` : text;
}

function Message({ part }: { part: CallPart }) {
  const [isOpen, setIsOpen] = useState(part.isOpen);
  const whole = part.blocks.map((block) => block.text).join('\n\n');
  return (
    <Box
      component="details"
      open={isOpen}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      sx={{ borderLeft: 3, borderColor: edges[part.speaker], pl: 1.5, py: 0.25, minWidth: 0 }}
    >
      <Box component="summary" sx={{ cursor: 'pointer', fontSize: 12.5, fontWeight: 600 }}>
        {part.title}
        {!isOpen && (
          <Box component="bdi" sx={{ fontWeight: 400, color: 'text.secondary', ml: 1 }}>
            {previewOf(part)}
          </Box>
        )}
      </Box>
      {/* Collapsed parts are not rendered: conversations can be long. */}
      {isOpen && (
        <Box sx={{ pt: 0.5, display: 'grid', gap: 1, minWidth: 0 }}>
          <Box sx={{ display: 'flex', justifyContent: 'flex-end', mb: -1 }}>
            <CopyButton text={whole} what={part.title} />
          </Box>
          {part.blocks.length === 0 && <Box sx={{ fontSize: 12.5, color: 'text.secondary' }}>Empty</Box>}
          {withIndexKeys(part.blocks).map(({ key, item: block }) => (
            <Box key={key} sx={{ minWidth: 0 }}>
              {block.label !== null && (
                <Box sx={{ fontSize: 12, color: 'text.secondary', fontWeight: 600 }}>{block.label}</Box>
              )}
              <PlainText text={block.text} />
            </Box>
          ))}
        </Box>
      )}
    </Box>
  );
}
