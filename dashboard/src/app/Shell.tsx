/** What surrounds every page: the title bar, the connection's state, and the page itself. */
import AppBar from '@mui/material/AppBar';
import Box from '@mui/material/Box';
import Container from '@mui/material/Container';
import Toolbar from '@mui/material/Toolbar';
import Typography from '@mui/material/Typography';
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { Visitor } from '../access/model';
import { useVisitor } from '../access/query';
import { VisitorBadge } from '../access/VisitorBadge';
import { ConnectionBadge } from '../connection/ConnectionBadge';
import { ConnectionLost } from '../connection/ConnectionLost';
import type { Connection } from '../connection/model';
import { useConnection } from '../connection/query';
import { BoxLink } from '../ui/BoxLink';
import { Navigation, SkipLink } from './Navigation';
import { SchemeButton } from './SchemeButton';

const CONTENT = 'content';
/** Most people never see it. */
const SignIn = lazy(() => import('../access/SignIn'));

export function Shell() {
  const connection = useConnection();
  const visitor = useVisitor();
  return (
    <>
      <SkipLink target={CONTENT} />
      <TitleBar connection={connection} visitor={visitor} />
      <Container
        component="main"
        id={CONTENT}
        tabIndex={-1}
        maxWidth="xl"
        sx={{ py: { xs: 2, sm: 3 }, outline: 'none' }}
      >
        <ConnectionLost connection={connection} />
        <Page visitor={visitor} />
      </Container>
    </>
  );
}

function Page({ visitor }: { visitor: Visitor }) {
  if (visitor.kind !== 'asked') return <Outlet />;
  return (
    <Suspense fallback={null}>
      <SignIn />
    </Suspense>
  );
}

function TitleBar({ connection, visitor }: { connection: Connection; visitor: Visitor }) {
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
        {visitor.kind !== 'asked' && <ConnectionBadge connection={connection} />}
        <VisitorBadge visitor={visitor} />
        <SchemeButton />
      </Toolbar>
    </AppBar>
  );
}

/** A phone shows the picture alone. */
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
