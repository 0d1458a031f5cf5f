/** The form itself. What is wrong with it stands at the field that it is about. */
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
import { type FormFault, type FormField, faultAfter, faultBefore, requestOf, type SubmitForm } from './form';
import { RunbookField } from './RunbookField';
import { ServersField } from './ServersField';

export interface AlertFormProps {
  types: AlertTypes;
  start: SubmitForm;
}

export function AlertForm({ types, start }: AlertFormProps) {
  const navigate = useNavigate();
  const [form, setForm] = useState(start);
  const [fault, setFault] = useState<FormFault | null>(null);
  const submit = useMutation({
    mutationFn: (filled: SubmitForm) => postJson<SubmitAlertResponse>('/api/v1/alerts', requestOf(filled)),
    onSuccess: ({ alert_id }) => navigate({ to: '/submit/$alertId', params: { alertId: alert_id } }),
    onError: (error) => setFault(faultAfter(error)),
  });

  const change = (over: Partial<SubmitForm>) => {
    setForm((current) => ({ ...current, ...over }));
    setFault(null);
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    const found = faultBefore(form);
    setFault(found);
    if (!found && !submit.isPending) submit.mutate(form);
  };
  const problemOf = (field: FormField) => (fault?.field === field ? fault.problem : null);

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
      {fault && fault.field === null && <Alert severity="error">{fault.problem}</Alert>}
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
