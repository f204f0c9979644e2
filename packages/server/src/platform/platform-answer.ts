/**
 * An answer of the platform whose body may break off, be too long or be no JSON. That is the platform's fault, so
 * reading throws a PlatformError.
 */
import { DerivedResponse, WholeResponse } from '@dowel/http';
import type { PlatformError } from '../base/platform-error.ts';
import { passAnswerHeaders } from './platform-headers.ts';

/** @param cause undefined: the body was read, and is not what its reader expects. */
export type ToBodyError = (cause?: unknown) => PlatformError;

type Body = Response['body'];
type Bytes = Awaited<ReturnType<Response['bytes']>>;

/** The platform's answer with the kept headers, and without its URL. */
export class PlatformAnswer extends DerivedResponse {
  readonly #answer: Response;
  readonly #toError: ToBodyError;
  #body: Body | undefined;

  constructor(answer: Response, toError: ToBodyError) {
    const { status, statusText, headers } = answer;
    super({ status, statusText });
    passAnswerHeaders(headers, this.headers);
    this.#answer = answer;
    this.#toError = toError;
  }

  protected override source(): Response {
    return this.#answer;
  }

  /** The body itself must stay free for the methods until somebody reads this one. */
  override get body(): Body {
    if (this.#body === undefined) {
      const { body } = this.#answer;
      this.#body = body && readLater(body, this.#toError);
    }
    return this.#body;
  }

  /** Its body has not arrived as a whole, and nobody reads it. */
  get isUnread(): boolean {
    const isWhole = this.#answer instanceof WholeResponse;
    return !isWhole && !this.bodyUsed && !this.#isLocked();
  }

  /** Frees the connection, and the place among the calls of its tenant, of an answer that nobody reads. */
  giveUp(): void {
    if (this.isUnread) this.#answer.body?.cancel().catch(() => {});
  }

  override async json(): Promise<unknown> {
    const text = await this.text();
    try {
      return JSON.parse(text);
    } catch {
      // The parser's own error quotes the body.
      throw this.#toError();
    }
  }

  override clone(): Response {
    return new PlatformAnswer(this.#answer.clone(), this.#toError);
  }

  protected override async read<Value>(work: (source: Response) => Promise<Value>): Promise<Value> {
    // A second reader gets the usual TypeError.
    if (this.bodyUsed || this.#isLocked()) return work(this.#answer);
    try {
      return await work(this.#answer);
    } catch (cause) {
      throw this.#toError(cause);
    }
  }

  /** Somebody reads the body. */
  #isLocked(): boolean {
    // To ask the answer for its body makes a stream.
    return Boolean(this.#body) && this.#answer.body?.locked === true;
  }
}

/** Locks the source when the first piece is asked for. */
function readLater(source: NonNullable<Body>, toError: ToBodyError): NonNullable<Body> {
  let reader: ReadableStreamDefaultReader<Bytes> | undefined;
  return new ReadableStream(
    {
      async pull(controller) {
        reader ??= source.getReader();
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (cause) {
          controller.error(toError(cause));
        }
      },
      cancel: (reason) => (reader ?? source).cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
