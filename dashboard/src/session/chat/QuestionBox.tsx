/** Where a question is written. Enter sends it, with Shift it begins a new line. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { type KeyboardEvent, useState } from 'react';
import { sentence } from '../../format/sentence';
import { useAskQuestion } from '../query';
import { LONGEST_QUESTION, questionIn } from './model';

export interface QuestionBoxProps {
  sessionId: string;
  /** Why nobody can ask just now. */
  closed: string | null;
  /** A question is on its way. */
  onAsked: () => void;
}

export function QuestionBox({ sessionId, closed, onAsked }: QuestionBoxProps) {
  const [draft, setDraft] = useState('');
  const ask = useAskQuestion(sessionId);
  const question = questionIn(draft);
  const isClosed = closed !== null || ask.isPending;
  const send = () => {
    if (question === null || isClosed) return;
    onAsked();
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
          The question was not sent. {sentence(ask.error.message)}
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
          disabled={closed !== null}
          helperText={closed ?? 'Enter sends, Shift and Enter begin a new line.'}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKeyDown}
          slotProps={{ htmlInput: { maxLength: LONGEST_QUESTION } }}
        />
        <Button
          variant="contained"
          disabled={isClosed || question === null}
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
