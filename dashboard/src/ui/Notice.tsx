/** A message that replaces the content of a page: a heading, an explanation and an action. */
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

export interface NoticeProps {
  title: string;
  children: ReactNode;
  action?: ReactNode;
  /** `h1` if the notice is the whole page. */
  heading?: 'h1' | 'h2';
}

export function Notice({ title, children, action, heading = 'h2' }: NoticeProps) {
  return (
    <Paper
      variant="outlined"
      sx={{ px: 3, py: 6, display: 'grid', gap: 1.5, justifyItems: 'center', textAlign: 'center' }}
    >
      <Typography component={heading} variant="h6">
        {title}
      </Typography>
      <Typography sx={{ maxWidth: '34rem', color: 'text.secondary', textWrap: 'balance' }}>
        {children}
      </Typography>
      {action}
    </Paper>
  );
}
