/**
 * Runs an action at most once per interval: immediately if the last run is long enough ago, and once more at
 * the end of the interval for all requests in between.
 */
export class Throttle {
  readonly #intervalMs: number;
  readonly #action: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDue = false;

  constructor(intervalMs: number, action: () => void) {
    this.#intervalMs = intervalMs;
    this.#action = action;
  }

  /** Requests a run. */
  readonly request = (): void => {
    if (this.#timer !== undefined) {
      this.#isDue = true;
      return;
    }
    this.#action();
    this.#timer = setTimeout(() => this.#onIntervalEnd(), this.#intervalMs);
  };

  /** Cancels a pending run. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = false;
  }

  #onIntervalEnd(): void {
    this.#timer = undefined;
    if (!this.#isDue) return;
    this.#isDue = false;
    this.request();
  }
}
