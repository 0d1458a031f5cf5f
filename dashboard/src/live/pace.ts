/** Does something at most once in a while: at once if it was not done lately, and once more for all that came since. */
export class Pace {
  readonly #everyMs: number;
  readonly #act: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDue = false;

  constructor(everyMs: number, act: () => void) {
    this.#everyMs = everyMs;
    this.#act = act;
  }

  /** It should be done. */
  readonly ask = (): void => {
    if (this.#timer !== undefined) {
      this.#isDue = true;
      return;
    }
    this.#act();
    this.#timer = setTimeout(() => this.#rested(), this.#everyMs);
  };

  /** Nobody wants it any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = false;
  }

  #rested(): void {
    this.#timer = undefined;
    if (!this.#isDue) return;
    this.#isDue = false;
    this.ask();
  }
}
