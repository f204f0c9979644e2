/** Thrown by the simulated network, as undici would. */
export class NetworkError extends TypeError {
  constructor(code: string) {
    super('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  }
}
