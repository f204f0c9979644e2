/** Thrown by the simulated network, like the error of undici. */
export class NetworkError extends TypeError {
  constructor(code: string) {
    super('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  }
}
