import type { PluginError as CoreError } from '../plugin-error.ts';
import { publishedTexts } from '../published-text.ts';

/** The predecessor's error, with `code` 0 to 8. Its cause is the core's error, which has more details. */
export class PluginError extends Error {
  readonly code: number;
  /** Always false: an unverified token cannot be used to recover. */
  readonly recover = false;

  constructor(cause: unknown) {
    const { message, code } = cause as CoreError;
    const digit = Number(/^ERR(\d)$/.exec(code)?.[1] ?? timedOut);
    super(`${publishedTexts[code] ?? message} (ERR${digit})`, { cause });
    this.name = 'PluginError';
    this.code = digit;
  }
}

/** The predecessor's message when there is no host. */
export const timedOut = 6;
