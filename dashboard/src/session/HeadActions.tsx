/** What can be done with a session: stop it, submit it again, take it along, look behind it. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMayAct } from '../access/query';
import { resubmitAddress, traceAddress } from '../app/addresses';
import { sentence } from '../format/sentence';
import { sessionPath, useCancelSession } from './query';

export interface HeadActionsProps {
  sessionId: string;
  canCancel: boolean;
}

export function HeadActions({ sessionId, canCancel }: HeadActionsProps) {
  const mayAct = useMayAct();
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      {mayAct && canCancel && <CancelButton sessionId={sessionId} />}
      <Button component={Link} to={traceAddress(sessionId)}>
        Trace
      </Button>
      {mayAct && (
        <Button component={Link} to={resubmitAddress(sessionId)}>
          Resubmit
        </Button>
      )}
      <Button href={`${sessionPath(sessionId)}/export`} download>
        Export
      </Button>
    </Box>
  );
}

/** Stopping cannot be undone, so it is asked for twice. */
function CancelButton({ sessionId }: { sessionId: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const cancel = useCancelSession(sessionId);
  const close = () => setIsAsking(false);
  return (
    <>
      <Button color="error" onClick={() => setIsAsking(true)}>
        Cancel
      </Button>
      <Dialog open={isAsking} onClose={close} aria-labelledby="cancel-title">
        <DialogTitle id="cancel-title">Stop this investigation?</DialogTitle>
        <DialogContent>
          <DialogContentText>
            What was found so far stays. The investigation cannot be continued; the alert can be submitted
            again.
          </DialogContentText>
          {cancel.error && (
            <Alert severity="error" sx={{ mt: 2 }}>
              It was not stopped. {sentence(cancel.error.message)}
            </Alert>
          )}
        </DialogContent>
        <DialogActions>
          <Button autoFocus onClick={close}>
            Let it run
          </Button>
          <Button
            color="error"
            variant="contained"
            loading={cancel.isPending}
            onClick={() => cancel.mutate(undefined, { onSuccess: close })}
          >
            Stop it
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
