/** A platform's exact counters of one installation. */
export class Tally {
  exchanges = 0;
  refreshes = 0;
  /** Token requests whose answer held tokens that the client could read. */
  issued = 0;
  /** Codes and refresh tokens that were presented after they had been spent. */
  reuses = 0;
  triggers = 0;
  accepted = 0;
  refused = 0;
  maxRefreshesInFlight = 0;
  /** Secrets that belong to another installation. */
  strangers = 0;
  /** The largest number of presentations of one refresh token. */
  maxPresentations = 0;
  #inFlight = 0;
  readonly #presentations = new Map<string, number>();

  beginRefresh(refreshToken: string): void {
    this.refreshes += 1;
    this.#inFlight += 1;
    this.maxRefreshesInFlight = Math.max(this.maxRefreshesInFlight, this.#inFlight);
    const presented = (this.#presentations.get(refreshToken) ?? 0) + 1;
    this.#presentations.set(refreshToken, presented);
    this.maxPresentations = Math.max(this.maxPresentations, presented);
  }

  endRefresh(): void {
    this.#inFlight -= 1;
  }
}
