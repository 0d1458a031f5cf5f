/** A page that looks like a terminal after a command. */

/** What the codes that colour a text mean. */
const LOOKS = {
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
  </style><pre><b>$ ${escaped(command)}</b>\n${coloured(output)}</pre>`;
}

/** Odd pieces are the codes between the texts. */
function coloured(output) {
  let looks = [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is how a terminal is told colours
  const pieces = output.split(/\x1b\[([\d;]*)m/);
  return pieces
    .map((piece, place) => {
      if (place % 2 === 0) return `<span style="${looks.join('; ')}">${escaped(piece)}</span>`;
      for (const code of piece.split(';')) looks = LOOKS[code] ? [...looks, LOOKS[code]] : [];
      return '';
    })
    .join('');
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
