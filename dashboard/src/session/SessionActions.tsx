/** Actions on a session: cancel, trace, resubmit, export. */
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
import { useCanOperate } from '../access/query';
import { resubmitPagePath, tracePagePath } from '../app/pagePaths';
import { toSentence } from '../format/sentence';
import { sessionPath, useCancelSession } from './query';

export interface SessionActionsProps {
  sessionId: string;
  canCancel: boolean;
}

export function SessionActions({ sessionId, canCancel }: SessionActionsProps) {
  const canOperate = useCanOperate();
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      {canOperate && canCancel && <CancelButton sessionId={sessionId} />}
      <Button component={Link} to={tracePagePath(sessionId)}>
        Trace
      </Button>
      {canOperate && (
        <Button component={Link} to={resubmitPagePath(sessionId)}>
          Resubmit
        </Button>
      )}
      <Button href={`${sessionPath(sessionId)}/export`} download>
        Export
      </Button>
    </Box>
  );
}

/** Cancelling cannot be undone, so it asks for confirmation. */
function CancelButton({ sessionId }: { sessionId: string }) {
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const cancel = useCancelSession(sessionId);
  const close = () => setIsDialogOpen(false);
  return (
    <>
      <Button color="error" onClick={() => setIsDialogOpen(true)}>
        Cancel
      </Button>
      <Dialog open={isDialogOpen} onClose={close} aria-labelledby="cancel-title">
        <DialogTitle id="cancel-title">Cancel this session?</DialogTitle>
        <DialogContent>
          <DialogContentText>
            Results so far are kept. A cancelled session cannot be resumed, but you can resubmit its alert.
          </DialogContentText>
          {cancel.error && (
            <Alert severity="error" sx={{ mt: 2 }}>
              The session was not cancelled. {toSentence(cancel.error.message)}
            </Alert>
          )}
        </DialogContent>
        <DialogActions>
          <Button autoFocus onClick={close}>
            Keep running
          </Button>
          <Button
            color="error"
            variant="contained"
            loading={cancel.isPending}
            onClick={() => cancel.mutate(undefined, { onSuccess: close })}
          >
            Cancel session
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
