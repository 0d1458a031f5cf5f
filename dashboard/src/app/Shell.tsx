/** What surrounds every page: the title bar, the connection's state, and the page itself. */
import AppBar from '@mui/material/AppBar';
import Box from '@mui/material/Box';
import Container from '@mui/material/Container';
import Toolbar from '@mui/material/Toolbar';
import Typography from '@mui/material/Typography';
import { Link, Outlet } from '@tanstack/react-router';
import { ConnectionBadge } from '../connection/ConnectionBadge';
import { ConnectionLost } from '../connection/ConnectionLost';
import type { Connection } from '../connection/model';
import { useConnection } from '../connection/query';
import { SchemeButton } from './SchemeButton';

export function Shell() {
  const connection = useConnection();
  return (
    <>
      <TitleBar connection={connection} />
      <Container component="main" maxWidth="xl" sx={{ py: 3 }}>
        <ConnectionLost connection={connection} />
        <Outlet />
      </Container>
    </>
  );
}

function TitleBar({ connection }: { connection: Connection }) {
  return (
    <AppBar
      position="sticky"
      color="inherit"
      elevation={0}
      sx={{ borderBottom: 1, borderColor: 'divider', backgroundImage: 'none' }}
    >
      <Toolbar variant="dense" sx={{ gap: 1.5 }}>
        <Box component="img" src="/favicon.svg" alt="" sx={{ width: 22, height: 22 }} />
        <Typography
          component={Link}
          to="/"
          sx={{ fontWeight: 700, fontSize: 16, color: 'inherit', textDecoration: 'none' }}
        >
          TARSy
        </Typography>
        <Typography variant="caption" sx={{ color: 'text.secondary', flex: 1 }}>
          {'version' in connection && connection.version}
        </Typography>
        <ConnectionBadge connection={connection} />
        <SchemeButton />
      </Toolbar>
    </AppBar>
  );
}
