/** The alert form. An error is shown at the field it belongs to. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { postJson } from '../api/client';
import type { AlertTypes, SubmitAlertResponse } from '../api/types';
import { AlertTypeField } from './AlertTypeField';
import { DataField } from './DataField';
import {
  type FormError,
  type FormField,
  formErrorOf,
  requestOf,
  type SubmitForm,
  validateForm,
} from './form';
import { RunbookField } from './RunbookField';
import { ServersField } from './ServersField';

export interface AlertFormProps {
  types: AlertTypes;
  start: SubmitForm;
}

export function AlertForm({ types, start }: AlertFormProps) {
  const navigate = useNavigate();
  const [form, setForm] = useState(start);
  const [error, setError] = useState<FormError | null>(null);
  const submit = useMutation({
    mutationFn: (filled: SubmitForm) => postJson<SubmitAlertResponse>('/api/v1/alerts', requestOf(filled)),
    onSuccess: ({ alert_id }) => navigate({ to: '/submit/$alertId', params: { alertId: alert_id } }),
    onError: (error) => setError(formErrorOf(error)),
  });

  const change = (over: Partial<SubmitForm>) => {
    setForm((current) => ({ ...current, ...over }));
    setError(null);
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    const invalid = validateForm(form);
    setError(invalid);
    if (!invalid && !submit.isPending) submit.mutate(form);
  };
  const problemOf = (field: FormField) => (error?.field === field ? error.problem : null);

  return (
    <Paper
      component="form"
      variant="outlined"
      noValidate
      onSubmit={send}
      sx={{ p: { xs: 2, sm: 3 }, display: 'grid', gap: 2.5 }}
    >
      <AlertTypeField
        types={types}
        chosen={form.alertType}
        problem={problemOf('alertType')}
        onChange={(alertType) => change({ alertType })}
      />
      <DataField data={form.data} problem={problemOf('data')} onChange={(data) => change({ data })} />
      <RunbookField
        runbook={form.runbook}
        problem={problemOf('runbook')}
        onChange={(runbook) => change({ runbook })}
      />
      <ServersField
        servers={form.servers}
        problem={problemOf('servers')}
        onChange={(servers) => change({ servers })}
      />
      {error && error.field === null && <Alert severity="error">{error.problem}</Alert>}
      <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center' }}>
        <Button
          type="submit"
          variant="contained"
          size="medium"
          loading={submit.isPending}
          loadingPosition="start"
        >
          Submit alert
        </Button>
      </Box>
    </Paper>
  );
}
