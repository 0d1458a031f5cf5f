/** The chat about an investigation: questions, answers while they are streamed, and the input box. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { READ_ONLY_MESSAGE } from '../../access/model';
import { useCanOperate } from '../../access/query';
import type { SessionDetail, SessionStatus } from '../../api/types';
import type { LiveTexts } from '../../live/texts';
import { Failure } from '../../ui/Failure';
import { chatQuery } from '../query';
import { LiveEntry } from '../timeline/LiveEntry';
import { RowView } from '../timeline/RowView';
import type { EntryRow } from '../timeline/row';
import { withProgress } from '../timeline/rows';
import { useFollow } from '../timeline/useFollow';
import { ChatEntryView } from './ChatEntryView';
import { answerInProgress, chatEntries, disabledReason } from './model';
import { QuestionBox } from './QuestionBox';

export interface ChatPanelProps {
  detail: SessionDetail;
  status: SessionStatus;
  /** Timeline rows of each answer, by execution. */
  steps: ReadonlyMap<string, EntryRow[]>;
  texts: LiveTexts;
}

export function ChatPanel({ detail, status, steps, texts }: ChatPanelProps) {
  const query = useQuery(chatQuery(detail.session_id));
  const canOperate = useCanOperate();
  const panel = useRef<HTMLElement>(null);
  const follow = useFollow(panel, query.data?.is_answering ?? false, 'at_top');
  const chat = chatEntries(query.data);
  const completed = new Set(chat.flatMap(({ executionId }) => executionId ?? []));
  const open = [...steps].filter(([executionId]) => !completed.has(executionId));
  const live = answerInProgress(texts, new Set(steps.keys()), status);
  return (
    <Box ref={panel} component="section" aria-labelledby="chat-title">
      <Typography id="chat-title" component="h2" variant="h6" sx={{ mb: 1 }}>
        Chat
      </Typography>
      {query.error && !query.data && (
        <Failure what="The chat" error={query.error} onRetry={() => void query.refetch()} />
      )}
      <Box role="log" aria-label="Chat" sx={{ display: 'grid', gap: 1, minWidth: 0 }}>
        {chat.map((entry) => (
          <ChatEntryView key={entry.key} entry={entry} steps={steps} />
        ))}
        {query.data?.is_answering && (
          <Box>
            {withProgress(
              open.flatMap(([, rows]) => rows),
              live,
            ).map((row) => (
              <RowView key={row.key} row={row} chosen={null} onOpenTab={noop} />
            ))}
            {live.map(({ part, interactionId, text, isTruncated }) =>
              part === 'tool_progress' ? null : (
                <LiveEntry
                  key={`${interactionId}-${part}`}
                  row={{ kind: 'live', key: interactionId, part, text, isTruncated }}
                />
              ),
            )}
          </Box>
        )}
      </Box>
      <QuestionBox
        sessionId={detail.session_id}
        disabledReason={canOperate ? disabledReason(detail, status, query.data) : READ_ONLY_MESSAGE}
        onSend={follow.jumpToEnd}
      />
    </Box>
  );
}

const noop = () => {};
