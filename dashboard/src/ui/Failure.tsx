/** Replaces the content of a page that could not be loaded, with the reason and a way to retry. */
import Button from '@mui/material/Button';
import { describeFailure } from './failure';
import { Notice } from './Notice';

export interface FailureProps {
  /** What could not be loaded, as the start of a sentence: `Sessions`. */
  what: string;
  error: Error;
  onRetry: () => void;
}

export function Failure({ what, error, onRetry }: FailureProps) {
  const look = describeFailure(what, error);
  return (
    <Notice title={look.title} action={<FailureAction action={look.action} onRetry={onRetry} />}>
      {look.reason}
    </Notice>
  );
}

function FailureAction({ action, onRetry }: { action: 'retry' | 'reload' | 'none'; onRetry: () => void }) {
  switch (action) {
    case 'retry':
      return <Button onClick={onRetry}>Retry</Button>;
    case 'reload':
      return <Button onClick={() => window.location.reload()}>Reload page</Button>;
    case 'none':
      return null;
  }
}
