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
import type { Saying } from './model';

export function QuestionView({ saying, author }: { saying: Saying; author: string }) {
  return (
    <Bubble icon="question" who={author} saying={saying}>
      <PlainText text={saying.text} face="prose" />
    </Bubble>
  );
}

/** The steps that led to an answer are shown on request; the answer itself is the last of them. */
export function AnswerView({ saying, steps }: { saying: Saying; steps: readonly EntryRow[] }) {
  const [isOpen, setIsOpen] = useState(false);
  const earlier = steps.filter((row) => !(row.kind === 'prose' && row.isResult));
  return (
    <Bubble
      icon="speech"
      who="TARSy"
      saying={saying}
      action={<CopyButton text={saying.text} what="the answer" />}
    >
      <Box sx={{ maxWidth: '100ch' }}>
        <Markdown text={saying.text} />
      </Box>
      {earlier.length > 0 && (
        <Button
          variant="text"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          sx={{ px: 0.5, py: 0 }}
        >
          {isOpen ? 'Hide the steps' : `Show the steps (${earlier.length})`}
        </Button>
      )}
      {isOpen && earlier.map((row) => <RowView key={row.key} row={row} chosen={null} onOpenTab={nothing} />)}
    </Bubble>
  );
}

interface BubbleProps {
  icon: IconName;
  who: string;
  saying: Saying;
  action?: ReactNode;
  children: ReactNode;
}

function Bubble({ icon, who, saying, action, children }: BubbleProps) {
  return (
    <Box
      component="article"
      aria-label={`${who}, ${saying.at.text}`}
      sx={{
        display: 'grid',
        gridTemplateColumns: '28px minmax(0, 1fr)',
        gap: 1,
        p: 1,
        borderRadius: 1,
        ...(saying.author !== null && { bgcolor: 'action.hover' }),
      }}
    >
      <Box sx={{ display: 'flex', justifyContent: 'center', pt: '2px', color: 'text.secondary' }}>
        <Icon name={icon} />
      </Box>
      <Box sx={{ minWidth: 0 }}>
        <Box sx={{ display: 'flex', alignItems: 'baseline', gap: 1, fontSize: 12, mb: 0.25 }}>
          <Box component="span" sx={{ fontWeight: 650 }}>
            {who}
          </Box>
          <Box component="span" sx={{ color: 'text.secondary', flex: 1 }}>
            <Time moment={saying.at} />
          </Box>
          {action}
        </Box>
        {children}
      </Box>
    </Box>
  );
}

const nothing = () => {};
