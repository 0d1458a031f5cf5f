/** The frame of every page: title bar, connection state, and the page itself. */
import AppBar from '@mui/material/AppBar';
import Box from '@mui/material/Box';
import Container from '@mui/material/Container';
import Toolbar from '@mui/material/Toolbar';
import Typography from '@mui/material/Typography';
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { CurrentUser } from '../access/model';
import { useCurrentUser } from '../access/query';
import { UserBadge } from '../access/UserBadge';
import { ConnectionBadge } from '../connection/ConnectionBadge';
import { ConnectionLost } from '../connection/ConnectionLost';
import type { Connection } from '../connection/model';
import { useConnection } from '../connection/query';
import { BoxLink } from '../ui/BoxLink';
import { Navigation, SkipLink } from './Navigation';
import { SchemeButton } from './SchemeButton';

const CONTENT = 'content';
/** Loaded on demand: most users never see it. */
const SignIn = lazy(() => import('../access/SignIn'));

export function Shell() {
  const connection = useConnection();
  const user = useCurrentUser();
  return (
    <>
      <SkipLink target={CONTENT} />
      <TitleBar connection={connection} user={user} />
      <Container
        component="main"
        id={CONTENT}
        tabIndex={-1}
        maxWidth="xl"
        sx={{ py: { xs: 2, sm: 3 }, outline: 'none' }}
      >
        <ConnectionLost connection={connection} />
        <Page user={user} />
      </Container>
    </>
  );
}

function Page({ user }: { user: CurrentUser }) {
  if (user.kind !== 'sign_in_required') return <Outlet />;
  return (
    <Suspense fallback={null}>
      <SignIn />
    </Suspense>
  );
}

function TitleBar({ connection, user }: { connection: Connection; user: CurrentUser }) {
  return (
    <AppBar
      position="sticky"
      color="inherit"
      elevation={0}
      sx={{ borderBottom: 1, borderColor: 'divider', backgroundImage: 'none' }}
    >
      <Toolbar variant="dense" sx={{ gap: { xs: 1, sm: 1.5 } }}>
        <Brand />
        <Navigation />
        <Typography variant="caption" sx={{ color: 'text.secondary', display: { xs: 'none', sm: 'block' } }}>
          {'version' in connection && connection.version}
        </Typography>
        {user.kind !== 'sign_in_required' && <ConnectionBadge connection={connection} />}
        <UserBadge user={user} />
        <SchemeButton />
      </Toolbar>
    </AppBar>
  );
}

/** Phones show only the icon. */
function Brand() {
  return (
    <BoxLink
      to="/"
      aria-label="TARSy"
      sx={{ display: 'flex', alignItems: 'center', gap: 1.5, color: 'inherit', textDecoration: 'none' }}
    >
      <Box component="img" src="/favicon.svg" alt="" width={22} height={22} />
      <Box component="span" sx={{ fontWeight: 700, fontSize: 16, display: { xs: 'none', sm: 'inline' } }}>
        TARSy
      </Box>
    </BoxLink>
  );
}
