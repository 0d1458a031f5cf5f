/** The runbook: a URL that the server fetches, or the text itself. Configured runbooks are suggested. */
import Autocomplete, { type AutocompleteRenderInputParams } from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import type { KeyboardEvent } from 'react';
import type { Runbook } from '../api/types';
import { runbooksQuery } from './query';
import { listingProblem, suggestionsFor } from './runbooks';

export interface RunbookFieldProps {
  runbook: string;
  problem: string | null;
  onChange: (runbook: string) => void;
}

const HINT = 'URL or text of a runbook. Leave empty to use the configured one.';

export function RunbookField({ runbook, problem, onChange }: RunbookFieldProps) {
  const { data, error } = useQuery(runbooksQuery);
  const suggestions = suggestionsFor(runbook, data?.runbooks ?? []);
  const unlisted = listingProblem(data, error);
  // With nothing to suggest, the keys of the list belong to the text.
  const leaveKeys = (event: KeyboardEvent & { defaultMuiPrevented?: boolean | undefined }) => {
    if (suggestions.length === 0) event.defaultMuiPrevented = true;
  };
  const input = (params: AutocompleteRenderInputParams) => (
    <TextField
      {...params}
      label="Runbook"
      multiline
      maxRows={10}
      placeholder="https://github.com/…"
      error={problem !== null}
      helperText={problem ?? (unlisted === null ? HINT : `${HINT} ${unlisted}`)}
      slotProps={{
        ...params.slotProps,
        // A `textarea` must not have another role than `textbox`, which has no `aria-expanded`.
        htmlInput: {
          ...params.slotProps.htmlInput,
          role: undefined,
          'aria-expanded': undefined,
          dir: 'auto',
        },
        inputLabel: { ...params.slotProps.inputLabel, shrink: true },
      }}
    />
  );
  return (
    <Autocomplete<Runbook, false, true, true>
      freeSolo
      disableClearable
      options={suggestions}
      filterOptions={(options) => options}
      inputValue={runbook}
      onInputChange={(_event, text, reason) => reason !== 'reset' && reason !== 'blur' && onChange(text)}
      onChange={(_event, chosen) => typeof chosen !== 'string' && onChange(chosen.url)}
      getOptionLabel={(option) => (typeof option === 'string' ? option : option.url)}
      getOptionKey={(option) => (typeof option === 'string' ? option : option.path)}
      onKeyDown={leaveKeys}
      renderInput={input}
      renderOption={({ key, ...props }, option) => (
        <Box key={key} component="li" {...props} sx={{ flexDirection: 'column', gap: 0.25 }}>
          <Box sx={wide}>{option.title}</Box>
          <Box sx={{ ...wide, color: 'text.secondary', fontSize: 12 }}>{option.path}</Box>
        </Box>
      )}
    />
  );
}

const wide = { width: '100%', overflowWrap: 'anywhere', unicodeBidi: 'plaintext' };
