/**
 * The name of the signed-in user and the sign-out button, in the title bar. Empty while authentication is
 * disabled.
 */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { CurrentUser } from './model';
import { useSignOut } from './query';

export function UserBadge({ user }: { user: CurrentUser }) {
  const signOut = useSignOut();
  if (user.kind !== 'known' || user.name === null) return null;
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
        {user.name}
      </Box>
      {user.canSignOut && (
        <Button size="small" loading={signOut.isPending} onClick={() => signOut.mutate()}>
          Sign out
        </Button>
      )}
    </Box>
  );
}
