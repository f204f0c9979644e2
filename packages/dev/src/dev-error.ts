/** A command cannot start, or cannot do its work. The message is one line for each problem, and says how to fix it. */
export class DevError extends Error {
  override readonly name = 'DevError';
}
