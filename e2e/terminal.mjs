/** Renders the output of a command as an HTML page that looks like a terminal. */

/** CSS of the ANSI color codes. */
const STYLES = {
  1: 'font-weight: 700',
  2: 'opacity: 0.65',
  3: 'font-style: italic',
  31: 'color: #f7768e',
  32: 'color: #9ece6a',
  33: 'color: #e0af68',
  34: 'color: #7aa2f7',
  35: 'color: #bb9af7',
  36: 'color: #7dcfff',
};

export function terminalPage(command, output) {
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; padding: 20px 24px; background: #1a1b26; color: #c0caf5 }
    pre { margin: 0; font: 14px/1.45 "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere }
  </style><pre><b>$ ${escaped(command)}</b>\n${colored(output)}</pre>`;
}

/** After the split, odd elements are codes and even elements are text. */
function colored(output) {
  let styles = [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ANSI escape sequences start with a control character
  const pieces = output.split(/\x1b\[([\d;]*)m/);
  return pieces
    .map((piece, index) => {
      if (index % 2 === 0) return `<span style="${styles.join('; ')}">${escaped(piece)}</span>`;
      for (const code of piece.split(';')) styles = STYLES[code] ? [...styles, STYLES[code]] : [];
      return '';
    })
    .join('');
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
