import type { PluginError as CoreError } from '../plugin-error.ts';
import { publishedText } from '../published-text.ts';

/** The predecessor's error: `code` 0 to 8. The core's own error, which says more, is the cause. */
export class PluginError extends Error {
  readonly code: number;
  /** Nobody recovers by believing what is not verified. */
  readonly recover = false;

  constructor(cause: unknown) {
    const { message, code } = cause as CoreError;
    const digit = Number(/^ERR(\d)$/.exec(code)?.[1] ?? timedOut);
    super(`${publishedText(code) ?? message} (ERR${digit})`, { cause });
    this.name = 'PluginError';
    this.code = digit;
  }
}

/** What the predecessor says where there is no host at all. */
export const timedOut = 6;
