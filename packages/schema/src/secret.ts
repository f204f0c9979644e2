/**
 * A secret string that cannot be printed by accident: `String()`, `JSON.stringify` and Node's
 * `inspect` all show `[secret]`. The only way to the text is {@link Secret.reveal}, so that every
 * place where a secret leaves memory can be found by searching for one word.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}
