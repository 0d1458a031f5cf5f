/** A question or an answer in the chat. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { type ReactNode, useState } from 'react';
import { CopyButton } from '../../ui/CopyButton';
import { Icon, type IconName } from '../../ui/Icon';
import { Markdown } from '../../ui/Markdown';
import { PlainText } from '../../ui/PlainText';
import { Time } from '../../ui/Time';
import { RowView } from '../timeline/RowView';
import type { EntryRow } from '../timeline/row';
import type { ChatEntry } from './model';

export function ChatEntryView({
  entry,
  steps,
}: {
  entry: ChatEntry;
  steps: ReadonlyMap<string, EntryRow[]>;
}) {
  if (entry.author !== null) return <QuestionView entry={entry} author={entry.author} />;
  const rows = entry.executionId === null ? [] : (steps.get(entry.executionId) ?? []);
  return <AnswerView entry={entry} steps={rows} />;
}

function QuestionView({ entry, author }: { entry: ChatEntry; author: string }) {
  return (
    <Bubble icon="question" name={author} entry={entry}>
      <PlainText text={entry.text} face="prose" />
    </Bubble>
  );
}

/** The steps that led to an answer are collapsed; the last step is the answer itself and is left out. */
function AnswerView({ entry, steps }: { entry: ChatEntry; steps: readonly EntryRow[] }) {
  const [isOpen, setIsOpen] = useState(false);
  const earlier = steps.filter((row) => !(row.kind === 'prose' && row.isResult));
  return (
    <Bubble
      icon="speech"
      name="TARSy"
      entry={entry}
      action={<CopyButton text={entry.text} what="the answer" />}
    >
      <Box sx={{ maxWidth: '100ch' }}>
        <Markdown text={entry.text} />
      </Box>
      {earlier.length > 0 && (
        <Button
          variant="text"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          sx={{ px: 0.5, py: 0 }}
        >
          {isOpen ? 'Hide steps' : `Show steps (${earlier.length})`}
        </Button>
      )}
      {isOpen && earlier.map((row) => <RowView key={row.key} row={row} chosen={null} onOpenTab={noop} />)}
    </Bubble>
  );
}

interface BubbleProps {
  icon: IconName;
  name: string;
  entry: ChatEntry;
  action?: ReactNode;
  children: ReactNode;
}

function Bubble({ icon, name, entry, action, children }: BubbleProps) {
  return (
    <Box
      component="article"
      aria-label={`${name}, ${entry.at.text}`}
      sx={{
        display: 'grid',
        gridTemplateColumns: '28px minmax(0, 1fr)',
        gap: 1,
        p: 1,
        borderRadius: 1,
        ...(entry.author !== null && { bgcolor: 'action.hover' }),
      }}
    >
      <Box sx={{ display: 'flex', justifyContent: 'center', pt: '2px', color: 'text.secondary' }}>
        <Icon name={icon} />
      </Box>
      <Box sx={{ minWidth: 0 }}>
        <Box sx={{ display: 'flex', alignItems: 'baseline', gap: 1, fontSize: 12, mb: 0.25 }}>
          <Box component="span" sx={{ fontWeight: 650 }}>
            {name}
          </Box>
          <Box component="span" sx={{ color: 'text.secondary', flex: 1 }}>
            <Time moment={entry.at} />
          </Box>
          {action}
        </Box>
        {children}
      </Box>
    </Box>
  );
}

const noop = () => {};
