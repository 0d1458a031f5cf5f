/** The sign-in form. It replaces every page while the server requires a token and the browser has none. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { type FormEvent, useState } from 'react';
import { toSentence } from '../format/sentence';
import { useSignIn } from './query';

export default function SignIn() {
  const [token, setToken] = useState('');
  const signIn = useSignIn();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate(token);
  };
  return (
    <Paper
      component="form"
      variant="outlined"
      onSubmit={submit}
      aria-labelledby="sign-in-title"
      sx={{ mx: 'auto', mt: { xs: 2, sm: 8 }, p: 4, maxWidth: '28rem', display: 'grid', gap: 2 }}
    >
      <title>Sign in · TARSy</title>
      <Typography id="sign-in-title" component="h1" variant="h6">
        Sign in
      </Typography>
      <Typography sx={{ color: 'text.secondary' }}>
        This server requires a token. An administrator creates one with{' '}
        <Box component="code">tarsy token create</Box>.
      </Typography>
      <TextField
        label="Token"
        type="password"
        autoComplete="current-password"
        autoFocus
        required
        value={token}
        onChange={(event) => setToken(event.target.value)}
        placeholder="tarsy_…"
      />
      {signIn.error && <Alert severity="error">{toSentence(signIn.error.message)}</Alert>}
      <Button type="submit" variant="contained" loading={signIn.isPending} disabled={token.trim() === ''}>
        Sign in
      </Button>
    </Paper>
  );
}
