/** One request and its answer, as undici reports them. undici's own `request` makes a stream of each body at once. */
import { Readable } from 'node:stream';
import { type Dispatcher, errors } from 'undici';

/** What comes before the body. */
export interface AnswerHead {
  status: number;
  statusText: string;
  headers: Parameters<Required<Dispatcher.DispatchHandler>['onResponseStart']>[2];
}

/** Until somebody asks for a stream, the pieces of the body wait here: only those that come with the headers. */
export class PlainExchange implements Dispatcher.DispatchHandler {
  /** Rejects when the request has failed or was ended before its headers came. */
  readonly answered: Promise<AnswerHead>;
  /** What {@link end} was called with. */
  ended: { reason: unknown } | undefined;
  readonly #settle: { resolve(head: AnswerHead): void; reject(fault: unknown): void };
  readonly #pieces: Buffer<ArrayBuffer>[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #isWhole = false;
  #stream: Readable | undefined;
  #fault: Error | undefined;

  constructor() {
    const { promise, ...settle } = Promise.withResolvers<AnswerHead>();
    this.answered = promise;
    // It may end before anybody waits for it.
    promise.catch(() => undefined);
    this.#settle = settle;
  }

  /** Ends the request now, or before it is sent. */
  end(reason: unknown): void {
    this.ended = { reason };
    this.#fail(reason as Error);
    this.#controller?.abort(reason as Error);
  }

  /** All bytes of the body, if they have arrived. */
  whole(): Uint8Array<ArrayBuffer> | undefined {
    if (!this.#isWhole) return undefined;
    const [only] = this.#pieces;
    return only && this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces);
  }

  /** The body. Call it once. */
  stream(): Readable {
    const stream = new Readable({
      read: () => this.#controller?.resume(),
      destroy: (error, done) => {
        if (!this.#isWhole) this.#controller?.abort(error ?? new errors.RequestAbortedError());
        done(error);
      },
    });
    this.#stream = stream;
    // Also without a reader, its error must not end the process.
    stream.on('error', () => undefined);
    for (const piece of this.#pieces) stream.push(piece);
    if (this.#isWhole) stream.push(null);
    else if (this.#fault) stream.destroy(this.#fault);
    return stream;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#fault) controller.abort(this.#fault);
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHead['headers'],
    statusText = '',
  ): void {
    // Answers below 200 only say that another one will come.
    if (status >= 200) this.#settle.resolve({ status, statusText, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (!this.#stream) this.#pieces.push(piece as Buffer<ArrayBuffer>);
    else if (!this.#stream.push(piece)) controller.pause();
  }

  onResponseEnd(): void {
    this.#isWhole = true;
    this.#stream?.push(null);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(error);
  }

  #fail(fault: Error): void {
    this.#fault ??= fault;
    this.#settle.reject(fault);
    this.#stream?.destroy(fault);
  }
}
