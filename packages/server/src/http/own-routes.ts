/**
 * The plug-in's own routes. A handler receives a request and returns an answer; its types name no framework.
 * Routes of `userRoutes` have a verified session, routes of `publicRoutes` have none.
 */
import type { Readable } from 'node:stream';
import { assertPlainHeaders } from '../base/option-shapes.ts';
import type { Log } from '../log/log.ts';
import type { Caller } from '../sessions/caller.ts';

/** The names of the parameters of a route's path; of a path that is known only at run time, any text. */
type ParamNames<Path extends string> = string extends Path
  ? string
  : Path extends `${string}/:${infer Name}/${infer Rest}`
    ? Name | ParamNames<`/${Rest}`>
    : Path extends `${string}/:${infer Name}`
      ? Name
      : never;

/** The request that a route answers. */
export interface RouteContext<Param extends string = string> {
  readonly method: string;
  /** The path below the base path. */
  readonly path: string;
  /** The decoded values of the `:names` in the route's path. */
  readonly params: Readonly<Record<Param, string>>;
  readonly query: URLSearchParams;
  /** The name is in lower case. */
  header: (name: string) => string | undefined;
  /** The sender's address, from the trusted proxy or the socket. */
  readonly address: string;
  /** The id of the request in the log and in the answer's `X-Request-Id`. */
  readonly requestId: string;
  /** Aborts when the sender leaves before the answer, or when the session ends while a stream is sent. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /**
   * The body as JSON. At most `maxBytes`, default 65,536. Call `json` or `bytes`, once. If a user's session ends while
   * the body arrives, both throw, and the answer is 401.
   */
  json: (maxBytes?: number) => Promise<unknown>;
  bytes: (maxBytes?: number) => Promise<Uint8Array>;
}

/**
 * Default status: 200, 204 without a body, or that of a `Response`. A document, such as HTML, has a
 * Content-Security-Policy that allows it no script and gives it an opaque origin. A policy of its own in `headers` replaces
 * it: with scripts and without `sandbox`, the document can do all that an operator may do who opens it, unless
 * `dashboard.origin` is set.
 */
export interface RouteAnswer {
  status?: number;
  headers?: Record<string, string>;
  /**
   * An object is sent as JSON; a stream, `Response` or `Blob` piece by piece. A proxy such as nginx is told to pass on
   * the pieces of a stream or `Response` at once. One of `userRoutes` is cut when the
   * session of its request ends, and a `text/event-stream` when the server stops.
   */
  body?: object | string | Uint8Array | Readable;
}

export type RouteHandler<Extra, Param extends string = string> = (
  context: RouteContext<Param> & Extra,
) => RouteAnswer | undefined | Promise<RouteAnswer | undefined>;

type RegisterRoute<Extra> = <const Path extends string>(
  path: Path,
  handle: RouteHandler<Extra, ParamNames<Path>>,
) => void;

/**
 * Registers routes. A path begins with a slash and may have parameters: `/votes/:id`. A parameter is a whole segment.
 */
export interface RouteRegistrar<Extra> {
  get: RegisterRoute<Extra>;
  post: RegisterRoute<Extra>;
  put: RegisterRoute<Extra>;
  patch: RegisterRoute<Extra>;
  delete: RegisterRoute<Extra>;
}

const answerFields = ['status', 'headers', 'body'];

/** @throws TypeError for a value that is no answer, such as a body alone. */
export function assertAnswer(answer: unknown): void {
  const isPlain =
    typeof answer === 'object' &&
    answer !== null &&
    [Object.prototype, null].includes(Object.getPrototypeOf(answer));
  if (answer === undefined) return;
  if (!isPlain || Object.keys(answer).some(isNoField)) {
    throw new TypeError(
      `A route answers with an object of ${answerFields.join(', ')}, or with nothing. Write { body: … } around what is to be sent`,
    );
  }
  const { status = 200, headers } = answer as RouteAnswer;
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new TypeError(`The status of a route's answer must be 200 to 599, not ${status}`);
  }
  if (headers !== undefined) assertPlainHeaders("The headers of a route's answer", headers);
}

const isNoField = (name: string) => !answerFields.includes(name);

type RouteMethod = keyof RouteRegistrar<unknown>;

interface OwnRoute<Extra> {
  method: RouteMethod;
  path: string;
  handle: RouteHandler<Extra>;
}

export interface OwnRoutes {
  ofUsers: readonly OwnRoute<{ caller: Caller }>[];
  ofAll: readonly OwnRoute<unknown>[];
}

/** Each segment is a literal, or a parameter as the router reads its name. Clients resolve `.` and `..`. */
const plainPath = /^(?:\/(?!\.{1,2}(?:\/|$))(?::[A-Za-z_]\w*|[A-Za-z0-9._~-]+))+\/?$/;
/** First segments of the server's own paths. */
const ownSegments = [
  'api',
  'admin',
  'plugin',
  'livez',
  'readyz',
  'manifest.json',
  'openapi.json',
  'openapi.html',
];

/**
 * Runs the plug-in's functions and checks what they register.
 *
 * @param operations the names of the plug-in's operations
 * @throws TypeError if a path is malformed, duplicate or reserved, if a handler is not a function, or if routes are added
 *   later
 */
export function collectRoutes(
  options: {
    userRoutes?: ((router: RouteRegistrar<{ caller: Caller }>) => void) | undefined;
    publicRoutes?: ((router: RouteRegistrar<unknown>) => void) | undefined;
  },
  operations: readonly string[],
): OwnRoutes {
  return {
    ofUsers: collect('userRoutes', options.userRoutes?.bind(options), ['session', ...operations]),
    ofAll: collect('publicRoutes', options.publicRoutes?.bind(options), ownSegments),
  };
}

function collect<Extra>(
  name: string,
  register: ((router: RouteRegistrar<Extra>) => void) | undefined,
  taken: readonly string[],
): OwnRoute<Extra>[] {
  const routes: OwnRoute<Extra>[] = [];
  const seen = new Set<string>();
  let isOver = false;
  const add = (method: RouteMethod) => (path: string, handle: RouteHandler<Extra>) => {
    if (isOver) {
      throw new TypeError(
        `${name}: ${method} ${path} comes too late: register it before you return`,
      );
    }
    assertFree(name, { method, path }, taken);
    if (typeof handle !== 'function') {
      throw new TypeError(`${name}: ${method} ${path} needs a function that answers`);
    }
    // Paths that differ only in the names of parameters are the same.
    const key = `${method} ${path.replaceAll(/:[^/]+/g, ':').replace(/\/$/, '')}`;
    if (seen.has(key)) throw new TypeError(`${name}: ${method} ${path} is registered twice`);
    seen.add(key);
    routes.push({ method, path, handle });
  };
  const registered: unknown = register?.({
    get: add('get'),
    post: add('post'),
    put: add('put'),
    patch: add('patch'),
    delete: add('delete'),
  });
  isOver = true;
  if (registered instanceof Promise) {
    registered.catch(() => undefined);
    throw new TypeError(`${name} must not be async: a route that it registers later is not served`);
  }
  return routes;
}

function assertFree(
  name: string,
  { method, path }: { method: string; path: string },
  taken: readonly string[],
): void {
  if (typeof path !== 'string' || !plainPath.test(path)) {
    throw new TypeError(
      `${name}: ${method} ${path} needs a path of plain segments, such as /votes/:id. A parameter is a whole segment, named by letters, digits and _`,
    );
  }
  const params: string[] = path.match(/:\w+/g) ?? [];
  if (new Set(params).size < params.length || params.includes(':__proto__')) {
    throw new TypeError(`${name}: ${method} ${path} needs a name of its own for each parameter`);
  }
  const [, first = ''] = path.split('/');
  const isOpen = first.startsWith(':');
  if (isOpen || taken.includes(first)) {
    throw new TypeError(
      `${name}: ${method} ${path} ${isOpen ? 'must not begin with a parameter' : `is taken: /${first} is the server's own or an operation`}`,
    );
  }
}
