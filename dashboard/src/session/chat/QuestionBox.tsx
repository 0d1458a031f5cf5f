/** The input box of the chat. Enter sends, Shift+Enter starts a new line. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { type KeyboardEvent, useState } from 'react';
import { toSentence } from '../../format/sentence';
import { useAskQuestion } from '../query';
import { MAX_QUESTION_LENGTH, questionFrom } from './model';

export interface QuestionBoxProps {
  sessionId: string;
  /** Why questions are not accepted now, or null. */
  disabledReason: string | null;
  /** Called when a question is sent. */
  onSend: () => void;
}

export function QuestionBox({ sessionId, disabledReason, onSend }: QuestionBoxProps) {
  const [draft, setDraft] = useState('');
  const ask = useAskQuestion(sessionId);
  const question = questionFrom(draft);
  const isDisabled = disabledReason !== null || ask.isPending;
  const send = () => {
    if (question === null || isDisabled) return;
    onSend();
    ask.mutate(question, { onSuccess: () => setDraft('') });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <Box sx={{ mt: 1.5 }}>
      {ask.error && (
        <Alert severity="error" sx={{ mb: 1 }}>
          The question was not sent. {toSentence(ask.error.message)}
        </Alert>
      )}
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'flex-start' }}>
        <TextField
          fullWidth
          multiline
          maxRows={8}
          size="small"
          label="Ask about this investigation"
          value={draft}
          disabled={disabledReason !== null}
          helperText={disabledReason ?? 'Press Enter to send, Shift+Enter for a new line.'}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKeyDown}
          slotProps={{ htmlInput: { maxLength: MAX_QUESTION_LENGTH } }}
        />
        <Button
          variant="contained"
          disabled={isDisabled || question === null}
          loading={ask.isPending}
          onClick={send}
          sx={{ mt: 0.25 }}
        >
          Ask
        </Button>
      </Box>
    </Box>
  );
}
