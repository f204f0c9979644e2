/**
 * An answer of the platform whose body may break off, be too long or be no JSON. That is the platform's fault, so
 * reading throws a PlatformError.
 */
import type { PlatformError } from '../platform-error.ts';

/** @param cause undefined: the body was read, and is not what its reader expects. */
export type ToBodyError = (cause?: unknown) => PlatformError;

type Body = Response['body'];
type Bytes = Awaited<ReturnType<Response['bytes']>>;

/** Some declarations of Response have methods that a class may not override. */
interface Answer extends Omit<Response, keyof AnswerBody>, AnswerBody {}

interface AnswerBody {
  readonly body: Body;
  json(): Promise<unknown>;
  text(): Promise<string>;
  bytes(): Promise<Bytes>;
  arrayBuffer(): Promise<ArrayBuffer>;
  blob(): ReturnType<Response['blob']>;
}

const UsualAnswer = Response as unknown as new (body: Body, init: ResponseInit) => Answer;

export class PlatformAnswer extends UsualAnswer {
  readonly #toError: ToBodyError;
  #body: Body | undefined;

  constructor(body: Body, init: ResponseInit, toError: ToBodyError) {
    super(body, init);
    this.#toError = toError;
  }

  /** The body itself must stay free for the methods until somebody reads this one. */
  override get body(): Body {
    this.#body ??= super.body && readLater(super.body, this.#toError);
    return this.#body;
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

  override text(): Promise<string> {
    return this.#read(() => super.text());
  }

  override bytes(): Promise<Bytes> {
    return this.#read(() => super.bytes());
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    return this.#read(() => super.arrayBuffer());
  }

  override blob(): ReturnType<Response['blob']> {
    return this.#read(() => super.blob());
  }

  async #read<Value>(read: () => Promise<Value>): Promise<Value> {
    // A second reader gets the usual TypeError.
    if (this.bodyUsed || super.body?.locked) return read();
    try {
      return await read();
    } catch (cause) {
      throw this.#toError(cause);
    }
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
