/** `dowel dev` cannot start. The message is one line for each problem, and says how to fix it. */
export class DevError extends Error {
  override readonly name = 'DevError';
}
