/** Copies a text to the clipboard, and says so for a moment. */
import Button from '@mui/material/Button';
import { useState } from 'react';
import { Icon } from './Icon';

type Outcome = 'ready' | 'copied' | 'refused';

const words: Record<Outcome, string> = { ready: 'Copy', copied: 'Copied', refused: 'Not allowed' };
const SHOWN_MS = 2_000;

export interface CopyButtonProps {
  text: string;
  /** What is copied, for those who do not see where the button stands: `the analysis`. */
  what: string;
}

export function CopyButton({ text, what }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<Outcome>('ready');
  const copy = async () => {
    setOutcome(await copied(text));
    setTimeout(() => setOutcome('ready'), SHOWN_MS);
  };
  return (
    <Button
      size="small"
      variant="text"
      color="inherit"
      aria-label={`${words[outcome]} ${what}`}
      startIcon={<Icon name={outcome === 'copied' ? 'done' : 'copy'} size={14} />}
      onClick={() => void copy()}
      sx={{ minWidth: 0, py: 0, px: 0.75, color: 'text.secondary', fontWeight: 500 }}
    >
      {words[outcome]}
    </Button>
  );
}

/** Browsers give pages without encryption no clipboard, unless they are on this machine. */
async function copied(text: string): Promise<Outcome> {
  try {
    await navigator.clipboard.writeText(text);
    return 'copied';
  } catch {
    return 'refused';
  }
}
