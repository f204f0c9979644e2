/**
 * `close` was called before or while the server opened. Nothing is wrong, and nothing is left open. Its `stack` is the
 * message alone.
 */
export class ServerClosedError extends Error {
  override readonly name = 'ServerClosedError';
  readonly code = 'SERVER_CLOSED';

  constructor() {
    super('The server was closed');
    this.stack = `${this.name}: ${this.message}`;
  }
}
