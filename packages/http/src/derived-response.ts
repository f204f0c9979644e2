/** Responses that share another response's body. A normal `Response` creates its stream even if nobody reads it. */

type Bytes = Awaited<ReturnType<Response['bytes']>>;

interface BodyMembers {
  readonly body: Response['body'];
  readonly bodyUsed: boolean;
  json(): Promise<unknown>;
  text(): Promise<string>;
  bytes(): Promise<Bytes>;
  arrayBuffer(): Promise<ArrayBuffer>;
  blob(): ReturnType<Response['blob']>;
  formData(): ReturnType<Response['formData']>;
  clone(): Response;
}

/** Some declarations of Response have members that a class may not override. */
interface OwnResponse extends Omit<Response, keyof BodyMembers>, BodyMembers {}

const OwnResponse = Response as unknown as new (body: null, init: ResponseInit) => OwnResponse;

/** Has a status and headers of its own. Its body is that of its source. */
export abstract class DerivedResponse extends OwnResponse {
  constructor(init: ResponseInit) {
    super(null, init);
  }

  /** The answer that has the body. */
  protected abstract source(): Response;

  /** All methods that read the body call it. */
  protected read<Value>(work: (source: Response) => Promise<Value>): Promise<Value> {
    return work(this.source());
  }

  override get body(): Response['body'] {
    return this.source().body;
  }

  override get bodyUsed(): boolean {
    return this.source().bodyUsed;
  }

  override text(): Promise<string> {
    return this.read((source) => source.text());
  }

  override async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  /** Not by the method of the source: the `Response` that Hono puts in place of Node's has none that works. */
  override async bytes(): Promise<Bytes> {
    return new Uint8Array(await this.arrayBuffer());
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    return this.read((source) => source.arrayBuffer());
  }

  override blob(): ReturnType<Response['blob']> {
    return this.read((source) => source.blob());
  }

  override formData(): ReturnType<Response['formData']> {
    return this.read((source) => source.formData());
  }

  override clone(): Response {
    return this.source().clone();
  }
}

/** As `Response.text` decodes. Shared: it keeps no state between texts. */
const utf8 = new TextDecoder();

/** An answer whose bytes have all arrived. */
export class WholeResponse extends DerivedResponse {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #isTextRead = false;
  #source: Response | undefined;

  constructor(bytes: Uint8Array<ArrayBuffer>, init: ResponseInit) {
    super(init);
    this.#bytes = bytes;
  }

  /** Its text needs no stream. */
  override async text(): Promise<string> {
    if (this.bodyUsed || this.#source) return super.text();
    this.#isTextRead = true;
    return utf8.decode(this.#bytes);
  }

  override get bodyUsed(): boolean {
    return this.#isTextRead || this.#source?.bodyUsed === true;
  }

  protected override source(): Response {
    if (this.#source) return this.#source;
    const { status, statusText, headers } = this;
    this.#source = new Response(this.#bytes, { status, statusText, headers });
    // A second reader gets the usual TypeError.
    if (this.#isTextRead) void this.#source.arrayBuffer();
    return this.#source;
  }
}
