/** The system page (`/system`): readiness, warnings, MCP servers, model providers and configuration. */
import Alert from '@mui/material/Alert';
import AlertTitle from '@mui/material/AlertTitle';
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useConnection } from '../connection/query';
import { Status } from '../ui/Status';
import { Configuration } from './Configuration';
import { providerRows, readyFacts, type SystemFact, serverRow, warningTitle } from './model';
import { configQuery, mcpServersQuery, readyQuery, warningsQuery } from './query';
import { Section } from './Section';
import { ServerCard } from './ServerCard';

export function SystemPage() {
  const ready = useQuery(readyQuery);
  const servers = useQuery(mcpServersQuery);
  const warnings = useQuery(warningsQuery);
  const config = useQuery(configQuery);
  const connection = useConnection();
  const version = 'version' in connection ? connection.version : undefined;
  return (
    <Box sx={{ display: 'grid', gap: 3, minWidth: 0 }}>
      <title>System · TARSy</title>
      <Typography component="h1" variant="h5">
        System
      </Typography>
      <Section title="Server" query={ready}>
        {(data) => <Facts facts={readyFacts(data, version)} />}
      </Section>
      <Section title="Warnings" query={warnings}>
        {(data) => <Warnings warnings={data.warnings} />}
      </Section>
      <Section title="MCP servers" query={servers}>
        {({ mcp_servers }) =>
          mcp_servers.length === 0 ? (
            <Muted>No MCP servers are configured, so agents have no tools.</Muted>
          ) : (
            <Box
              sx={{
                display: 'grid',
                gap: 1.5,
                gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 380px), 1fr))',
              }}
            >
              {mcp_servers.map((server) => (
                <ServerCard key={server.name} row={serverRow(server)} />
              ))}
            </Box>
          )
        }
      </Section>
      <Section title="Model providers" query={ready}>
        {(data) => <Facts facts={providerRows(data).map(({ name, look }) => ({ name, value: look }))} />}
      </Section>
      <Section title="Configuration" query={config}>
        {(data) => <Configuration config={data.config} />}
      </Section>
    </Box>
  );
}

function Facts({ facts }: { facts: readonly SystemFact[] }) {
  return (
    <Paper
      variant="outlined"
      component="dl"
      sx={{
        m: 0,
        p: 1.5,
        display: 'grid',
        gap: 1.5,
        gridTemplateColumns: 'repeat(auto-fill, minmax(150px, 1fr))',
        fontSize: 13,
      }}
    >
      {facts.map(({ name, value }) => (
        <Box key={name} sx={{ minWidth: 0 }}>
          <Box component="dt" sx={{ color: 'text.secondary', fontSize: 12, overflowWrap: 'anywhere' }}>
            {name}
          </Box>
          <Box component="dd" sx={{ m: 0, fontVariantNumeric: 'tabular-nums' }}>
            {typeof value === 'string' ? value : <Status look={value} size={14} />}
          </Box>
        </Box>
      ))}
    </Paper>
  );
}

function Warnings({ warnings }: { warnings: Parameters<typeof warningTitle>[0][] }) {
  if (warnings.length === 0) return <Muted>No warnings.</Muted>;
  return (
    <Box sx={{ display: 'grid', gap: 1 }}>
      {warnings.map((warning) => (
        <Alert
          key={`${warning.category} ${warning.subject} ${warning.message}`}
          severity="warning"
          sx={{ overflowWrap: 'anywhere' }}
        >
          <AlertTitle sx={{ fontSize: 13, mb: 0 }}>{warningTitle(warning)}</AlertTitle>
          {warning.message}
        </Alert>
      ))}
    </Box>
  );
}

function Muted({ children }: { children: string }) {
  return <Box sx={{ color: 'text.secondary', fontSize: 13 }}>{children}</Box>;
}
