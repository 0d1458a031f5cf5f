/** The MCP servers and tools for this alert: those of the chain, or a selection. */
import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import Skeleton from '@mui/material/Skeleton';
import { useQuery } from '@tanstack/react-query';
import { toSentence } from '../format/sentence';
import { serversQuery } from './query';
import { type ServerChoice, type ServerChoices, serverChoices, toggleServer, toggleTool } from './servers';

export interface ServersFieldProps {
  servers: ServerChoices | null;
  problem: string | null;
  onChange: (servers: ServerChoices | null) => void;
}

export function ServersField({ servers, problem, onChange }: ServersFieldProps) {
  return (
    <Box component="fieldset" sx={{ border: 0, m: 0, p: 0, minWidth: 0 }}>
      <Box component="legend" sx={{ p: 0, fontSize: 13, fontWeight: 600 }}>
        MCP servers and tools
      </Box>
      <FormControlLabel
        label="Select servers for this alert"
        control={<Tick checked={servers !== null} onChange={() => onChange(servers === null ? {} : null)} />}
        sx={labelStyle}
      />
      {servers === null ? (
        <FormHelperText sx={{ m: 0 }}>The agents use the servers of the chain.</FormHelperText>
      ) : (
        <Choices choices={servers} onChange={onChange} />
      )}
      {problem !== null && (
        <FormHelperText error role="alert" sx={{ m: 0, mt: 0.5 }}>
          {problem}
        </FormHelperText>
      )}
    </Box>
  );
}

function Choices({
  choices,
  onChange,
}: {
  choices: ServerChoices;
  onChange: (servers: ServerChoices) => void;
}) {
  const { data, error } = useQuery(serversQuery);
  if (error)
    return (
      <FormHelperText error>The servers could not be loaded. {toSentence(error.message)}</FormHelperText>
    );
  if (!data) return <Skeleton variant="rounded" height={80} />;
  return (
    <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', display: 'grid', gap: 0.5 }}>
      {serverChoices(data.mcp_servers, choices).map((server) => (
        <li key={server.name}>
          <Server
            server={server}
            onToggle={() => onChange(toggleServer(choices, server.name))}
            onToggleTool={(tool) => onChange(toggleTool(choices, server, tool))}
          />
        </li>
      ))}
    </Box>
  );
}

interface ServerProps {
  server: ServerChoice;
  onToggle: () => void;
  onToggleTool: (tool: string) => void;
}

function Server({ server, onToggle, onToggleTool }: ServerProps) {
  return (
    <>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1 }}>
        <FormControlLabel
          label={server.name}
          control={<Tick checked={server.isChosen} onChange={onToggle} />}
          sx={labelStyle}
        />
        <Box component="span" sx={{ fontSize: 12, color: 'text.secondary', overflowWrap: 'anywhere' }}>
          {server.note}
        </Box>
      </Box>
      {server.isChosen && server.tools.length > 0 && (
        <Box
          role="group"
          aria-label={`Tools of ${server.name}`}
          sx={{ pl: 3.5, display: 'flex', flexWrap: 'wrap' }}
        >
          {server.tools.map((tool) => (
            <FormControlLabel
              key={tool.name}
              label={tool.name}
              control={<Tick checked={tool.isChosen} onChange={() => onToggleTool(tool.name)} />}
              sx={{ ...labelStyle, mr: 2 }}
            />
          ))}
        </Box>
      )}
    </>
  );
}

function Tick({ checked, onChange }: { checked: boolean; onChange: () => void }) {
  return <Checkbox size="small" checked={checked} onChange={onChange} sx={{ p: 0.5 }} />;
}

const labelStyle = { ml: -0.5, mr: 0, '& .MuiFormControlLabel-label': { fontSize: 13 } };
