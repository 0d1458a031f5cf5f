/** Once, before the browser draws next; soon, if it draws nothing because nobody looks. */

const LONGEST_MS = 250;

/** Calls `draw` once, unless the answer is called before. */
export function onNextFrame(draw: () => void): () => void {
  const cancel = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const run = () => {
    cancel();
    draw();
  };
  const frame = requestAnimationFrame(run);
  const timer = setTimeout(run, LONGEST_MS);
  return cancel;
}
