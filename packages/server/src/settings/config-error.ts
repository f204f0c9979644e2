/**
 * The configuration or the manifest cannot be used. Each line of the message names one problem and its fix.
 * It contains no secret. Its `stack` is the message alone, because a call is not what must be changed.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(message: string) {
    super(message);
    this.stack = `${this.name}: ${message}`;
  }
}
