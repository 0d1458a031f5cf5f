/** Where one types what the sessions are searched for. The search starts when the typing pauses. */
import InputAdornment from '@mui/material/InputAdornment';
import TextField from '@mui/material/TextField';
import { type Ref, useRef, useState } from 'react';

const PAUSE_MS = 250;

export interface SearchFieldProps {
  /** What the address says. */
  words: string;
  onSearch: (words: string) => void;
  inputRef: Ref<HTMLInputElement>;
}

export function SearchField({ words, onSearch, inputRef }: SearchFieldProps) {
  // While somebody types, the field is ahead of the address.
  const [draft, setDraft] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const search = (text: string) => {
    clearTimeout(timer.current);
    if (text !== words) onSearch(text);
  };
  return (
    <TextField
      size="small"
      type="search"
      placeholder="Search alerts, analyses and timelines"
      value={draft ?? words}
      inputRef={inputRef}
      onChange={({ target }) => {
        setDraft(target.value);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => search(target.value), PAUSE_MS);
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Enter' && draft !== null) search(draft);
        if (key === 'Escape') currentTarget.querySelector('input')?.blur();
      }}
      onBlur={() => {
        if (draft !== null) search(draft);
        setDraft(null);
      }}
      slotProps={{
        htmlInput: { 'aria-label': 'Search sessions', 'aria-keyshortcuts': '/' },
        input: { endAdornment: <Hint /> },
      }}
      sx={{ flex: '1 1 260px', maxWidth: { sm: 420 } }}
    />
  );
}

/** Phones have no such key. */
function Hint() {
  return (
    <InputAdornment position="end" aria-hidden sx={{ display: { xs: 'none', sm: 'flex' }, opacity: 0.7 }}>
      <kbd>/</kbd>
    </InputAdornment>
  );
}
