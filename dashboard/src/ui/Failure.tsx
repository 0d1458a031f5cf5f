/** What a page shows in place of its content when the server did not give it, also to those who may not see it. */
import Button from '@mui/material/Button';
import { failureLook } from './failure';
import { Notice } from './Notice';

export interface FailureProps {
  /** What could not be had, as a plural that begins a sentence. */
  what: string;
  error: Error;
  onRetry: () => void;
}

export function Failure({ what, error, onRetry }: FailureProps) {
  const look = failureLook(what, error);
  return (
    <Notice title={look.title} action={<Remedy remedy={look.remedy} onRetry={onRetry} />}>
      {look.reason}
    </Notice>
  );
}

function Remedy({ remedy, onRetry }: { remedy: 'retry' | 'reload' | 'none'; onRetry: () => void }) {
  switch (remedy) {
    case 'retry':
      return <Button onClick={onRetry}>Try again</Button>;
    case 'reload':
      return <Button onClick={() => window.location.reload()}>Load the page again</Button>;
    case 'none':
      return null;
  }
}
