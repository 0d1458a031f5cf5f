/**
 * Runs a callback before the next frame, or after a short timeout if the browser draws no frames (background
 * tab).
 */

const LONGEST_MS = 250;

/** Calls `callback` once. Returns a function that cancels it. */
export function onNextFrame(callback: () => void): () => void {
  const cancel = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const run = () => {
    cancel();
    callback();
  };
  const frame = requestAnimationFrame(run);
  const timer = setTimeout(run, LONGEST_MS);
  return cancel;
}
