/** The chat after the end of an investigation: questions, answers while they are being written, and a box to ask. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { READS_ONLY } from '../../access/model';
import { useMayAct } from '../../access/query';
import type { SessionDetail, SessionStatus } from '../../api/types';
import type { LiveTexts } from '../../live/texts';
import { Failure } from '../../ui/Failure';
import { chatQuery } from '../query';
import { LiveEntry } from '../timeline/LiveEntry';
import { RowView } from '../timeline/RowView';
import type { EntryRow } from '../timeline/row';
import { withProgress } from '../timeline/rows';
import { useFollow } from '../timeline/useFollow';
import { answerUnderWay, closedBecause, type Saying, sayings } from './model';
import { QuestionBox } from './QuestionBox';
import { AnswerView, QuestionView } from './SayingView';

export interface ChatPanelProps {
  detail: SessionDetail;
  status: SessionStatus;
  /** What was done for each answer. */
  steps: ReadonlyMap<string, EntryRow[]>;
  texts: LiveTexts;
}

export function ChatPanel({ detail, status, steps, texts }: ChatPanelProps) {
  const query = useQuery(chatQuery(detail.session_id));
  const mayAct = useMayAct();
  const panel = useRef<HTMLElement>(null);
  const follow = useFollow(panel, query.data?.is_answering ?? false, 'at_top');
  const said = sayings(query.data);
  const answered = new Set(said.flatMap(({ executionId }) => executionId ?? []));
  const open = [...steps].filter(([executionId]) => !answered.has(executionId));
  const live = answerUnderWay(texts, new Set(steps.keys()), status);
  return (
    <Box ref={panel} component="section" aria-labelledby="chat-title">
      <Typography id="chat-title" component="h2" variant="h6" sx={{ mb: 1 }}>
        Chat
      </Typography>
      {query.error && !query.data && (
        <Failure what="The chat" error={query.error} onRetry={() => void query.refetch()} />
      )}
      <Box role="log" aria-label="Chat" sx={{ display: 'grid', gap: 1, minWidth: 0 }}>
        {said.map((saying) => (
          <Said key={saying.key} saying={saying} steps={steps} />
        ))}
        {query.data?.is_answering && (
          <Box>
            {withProgress(
              open.flatMap(([, rows]) => rows),
              live,
            ).map((row) => (
              <RowView key={row.key} row={row} chosen={null} onOpenTab={nothing} />
            ))}
            {live.map(({ part, interactionId, text, isCut }) =>
              part === 'tool_progress' ? null : (
                <LiveEntry
                  key={`${interactionId}-${part}`}
                  row={{ kind: 'live', key: interactionId, part, text, isCut }}
                />
              ),
            )}
          </Box>
        )}
      </Box>
      <QuestionBox
        sessionId={detail.session_id}
        closed={mayAct ? closedBecause(detail, status, query.data) : READS_ONLY}
        onAsked={follow.jump}
      />
    </Box>
  );
}

function Said({ saying, steps }: { saying: Saying; steps: ReadonlyMap<string, EntryRow[]> }) {
  if (saying.author !== null) return <QuestionView saying={saying} author={saying.author} />;
  const rows = saying.executionId === null ? [] : (steps.get(saying.executionId) ?? []);
  return <AnswerView saying={saying} steps={rows} />;
}

const nothing = () => {};
