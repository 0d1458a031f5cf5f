/** The system page (`/system`): whether the server can work, and what it works with. */
import Alert from '@mui/material/Alert';
import AlertTitle from '@mui/material/AlertTitle';
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useConnection } from '../connection/query';
import { Status } from '../ui/Status';
import { Configuration } from './Configuration';
import { type Fact, providerRows, readyFacts, serverRow, warningTitle } from './model';
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
        {(answer) => <Facts facts={readyFacts(answer, version)} />}
      </Section>
      <Section title="Warnings" query={warnings}>
        {(answer) => <Warnings warnings={answer.warnings} />}
      </Section>
      <Section title="MCP servers" query={servers}>
        {({ mcp_servers }) =>
          mcp_servers.length === 0 ? (
            <Quiet>There are none in the configuration: agents have no tools.</Quiet>
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
        {(answer) => <Facts facts={providerRows(answer).map(({ name, look }) => ({ name, value: look }))} />}
      </Section>
      <Section title="Configuration" query={config}>
        {(answer) => <Configuration config={answer.config} />}
      </Section>
    </Box>
  );
}

function Facts({ facts }: { facts: readonly Fact[] }) {
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
  if (warnings.length === 0) return <Quiet>Nothing to worry about.</Quiet>;
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

function Quiet({ children }: { children: string }) {
  return <Box sx={{ color: 'text.secondary', fontSize: 13 }}>{children}</Box>;
}
