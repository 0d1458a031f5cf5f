/** Copies a text to the clipboard and confirms it for a moment. */
import Button from '@mui/material/Button';
import { useState } from 'react';
import { Icon } from './Icon';

type CopyState = 'ready' | 'copied' | 'blocked';

const labels: Record<CopyState, string> = { ready: 'Copy', copied: 'Copied', blocked: 'Copy blocked' };
const SHOWN_MS = 2_000;

export interface CopyButtonProps {
  text: string;
  /** What is copied, for the accessible name: `the analysis`. */
  what: string;
}

export function CopyButton({ text, what }: CopyButtonProps) {
  const [state, setState] = useState<CopyState>('ready');
  const copy = async () => {
    setState(await copyText(text));
    setTimeout(() => setState('ready'), SHOWN_MS);
  };
  return (
    <Button
      size="small"
      variant="text"
      color="inherit"
      aria-label={`${labels[state]} ${what}`}
      startIcon={<Icon name={state === 'copied' ? 'done' : 'copy'} size={14} />}
      onClick={() => void copy()}
      sx={{ minWidth: 0, py: 0, px: 0.75, color: 'text.secondary', fontWeight: 500 }}
    >
      {labels[state]}
    </Button>
  );
}

/** Browsers block the clipboard on pages without HTTPS, except on localhost. */
async function copyText(text: string): Promise<CopyState> {
  try {
    await navigator.clipboard.writeText(text);
    return 'copied';
  } catch {
    return 'blocked';
  }
}
