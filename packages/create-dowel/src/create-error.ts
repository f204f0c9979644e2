/** The plug-in cannot be created. The message says why, and what to do. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
}
