/** Who is signed in, in the title bar, with the way out. Nobody is named where nobody is asked. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { Visitor } from './model';
import { useSignOut } from './query';

export function VisitorBadge({ visitor }: { visitor: Visitor }) {
  const signOut = useSignOut();
  if (visitor.kind !== 'known' || visitor.name === null) return null;
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, fontSize: 13, minWidth: 0 }}>
      <Box
        component="span"
        sx={{
          display: { xs: 'none', md: 'inline' },
          maxWidth: '14rem',
          overflow: 'hidden',
          textOverflow: 'ellipsis',
          whiteSpace: 'nowrap',
        }}
      >
        {visitor.name}
      </Box>
      {visitor.canSignOut && (
        <Button size="small" loading={signOut.isPending} onClick={() => signOut.mutate()}>
          Sign out
        </Button>
      )}
    </Box>
  );
}
