import { inspect } from 'node:util';

const HIDDEN = '[secret]';

/** A token or key that no way of printing shows. Only `reveal` gives it out: call it where it is sent, keep no copy. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
