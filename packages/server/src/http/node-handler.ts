/**
 * The function that a host framework mounts. It removes the base path, answers while the server is not open, and
 * tracks the requests under way.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkTarget, keepWhileOpen } from '@dowel/http';
import type { Log } from '../log/log.ts';
import { hasReader, streamOf } from '../request/answer-state.ts';
import { anyOrigin, preflightHeaders } from '../request/cross-origin.ts';
import { createAnswerHeaders } from './answer-headers.ts';
import { closeStreamLingering } from './lingering-close.ts';
import { answer } from './raw-answer.ts';

type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Which requests are ours. */
export interface Place {
  /** '' or `/base`. '': every request is ours. */
  basePath: string;
  /** False: a proxy has removed it. */
  stripBasePath: 'auto' | false;
}

export interface HandlerContext {
  /** Undefined: `open` has not ended, or `close` was called. */
  handle: NodeHandler | undefined;
  /** Undefined: not known before `open`, because the public URL cannot be used. */
  findPlace: () => Place | undefined;
  /** Whether `open` was ever called. */
  isOpening: boolean;
  isDraining: boolean;
  /** When the last request came, by `performance.now()`. -Infinity: none has come. */
  acceptedAt: number;
  /** Answers that have not ended. */
  underWay: ServerResponse[];
  /** Called when the last answer has ended. */
  onQuiet: Set<() => void>;
  log: HandlerLog;
  hasWarned: boolean;
}

type HandlerLog = Pick<Log, 'warn' | 'error'>;

/** Requests before `open` are normal for this time. After it, a warning is logged: the call may be missing. */
const patienceMs = 5_000;

/** Creates the context of a server that is not open yet. */
export function createHandlerContext(
  log: HandlerLog,
  findPlace: () => Place | undefined,
): HandlerContext {
  return {
    handle: undefined,
    findPlace,
    isOpening: false,
    isDraining: false,
    acceptedAt: Number.NEGATIVE_INFINITY,
    underWay: [],
    onQuiet: new Set(),
    log,
    hasWarned: false,
  };
}

/**
 * @param next called for a request outside the base path, also while the server is not open. A promise of it is awaited.
 */
export async function handleRequest(
  context: HandlerContext,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  next?: () => Promise<void> | void,
): Promise<void> {
  const { url: target } = request;
  const problem = checkTarget(request);
  const place = context.findPlace();
  const url = place ? pathBelow(place, request) : request.url;
  if (url === undefined && next) {
    // The host gets its request as it came, and answers also what we would refuse.
    request.url = target;
    return next();
  }
  if (problem) return answer(response, 400, createAnswerHeaders(''), { message: problem.message });
  if (url === undefined) {
    const message = 'There is nothing at this address';
    return answer(response, 404, createAnswerHeaders(''), { message });
  }
  const { handle } = context;
  if (!handle) return refuseEarly(context, request, response);
  // Nobody reads the answer: the client left while the host's middleware ran, and no `close` would follow; or an
  // answer before this one ended the connection, and the client repeats what got none.
  if (!hasReader(response)) return;
  context.acceptedAt = performance.now();
  follow(context, response);
  const received: MountedRequest = request;
  received.originalUrl ??= request.url ?? '';
  request.url = url;
  try {
    await handle(request, response);
  } catch (err) {
    // Node ignores the promise of a handler: a rejection would end the process.
    context.log.error({ err }, 'server.error');
    response.destroy();
  }
}

/** Members that Express and Connect add when they mount a handler. */
type MountedRequest = IncomingMessage & { originalUrl?: string; baseUrl?: string };

/**
 * The URL below the base path; undefined when the request is outside of it. Express keeps the part that it has removed,
 * Connect only the original URL, and other handlers of the host may have changed either. The base path is compared as it
 * is written, although Express and Connect also take other letter case: cookies and redirects have the written path.
 */
function pathBelow(
  { basePath, stripBasePath }: Place,
  { url = '/', originalUrl = url, baseUrl }: MountedRequest,
): string | undefined {
  if (basePath === '' || stripBasePath === false) return url;
  const whole = `${baseUrl ?? ''}${url}`;
  // Connect has removed a part. What it left may begin like the base path.
  const isCut = baseUrl === undefined && originalUrl.endsWith(url);
  const [first, second] = isCut ? [originalUrl, whole] : [whole, originalUrl];
  const below = cut(first, basePath);
  if (below !== undefined || hasOtherCase(first, basePath)) return below;
  // Mounted at another path than the public one: a proxy changes the path, so every request is ours.
  const isElsewhere = Boolean(baseUrl) && !startsBelow(basePath, `${baseUrl}/`);
  return cut(second, basePath) ?? (isElsewhere ? url : undefined);
}

function startsBelow(path: string, folder: string): boolean {
  return path.toLowerCase().startsWith(folder.toLowerCase());
}

/** Whether only the letter case keeps a URL from being below the base path. */
function hasOtherCase(url: string, basePath: string): boolean {
  return cut(url.toLowerCase(), basePath.toLowerCase()) !== undefined;
}

function cut(url: string, basePath: string): string | undefined {
  if (url === basePath || url.startsWith(`${basePath}?`)) return `/${url.slice(basePath.length)}`;
  return url.startsWith(`${basePath}/`) ? url.slice(basePath.length) : undefined;
}

function refuseEarly(
  context: HandlerContext,
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
): void {
  if (!context.hasWarned && !context.isOpening) {
    context.hasWarned = true;
    setTimeout(() => warnUnlessOpening(context), patienceMs).unref();
  }
  // Pages of any origin may read this answer, so their browsers may ask first.
  const headers = { ...createAnswerHeaders(''), ...anyOrigin };
  if (method === 'OPTIONS') {
    response.shouldKeepAlive = false;
    response.writeHead(204, { ...headers, ...preflightHeaders }).end();
    return;
  }
  // A page of the plug-in calls operations below api/, and tells errors apart by their codes.
  const [path = ''] = url.split('?', 1);
  const code = path.includes('/api/') ? 'OVERLOADED' : 503;
  const message = 'The server is not open';
  answer(response, 503, { ...headers, 'Retry-After': '1' }, { message, code });
}

function warnUnlessOpening({ isOpening, log }: HandlerContext): void {
  if (!isOpening) log.warn('server.not_open: requests arrive, but open() was not called');
}

function follow({ isDraining, underWay, onQuiet }: HandlerContext, response: ServerResponse): void {
  // Koa, its pipeline, the host and we each listen for the end of a streamed answer: more than Node's limit of 10.
  response.setMaxListeners(response.getMaxListeners() + 20);
  if (isDraining) closeAfter(response);
  const stream = streamOf(response);
  if (stream) closeStreamLingering(stream);
  keepWhileOpen(underWay, response, () => {
    if (underWay.length > 0) return;
    for (const tell of onQuiet) tell();
    onQuiet.clear();
  });
}

/** From now on each answer closes its connection. Of several on one connection, the last one does. */
export function beginDraining(context: HandlerContext): void {
  context.isDraining = true;
  const last = new Map(context.underWay.map((response) => [response.req.socket, response]));
  for (const response of last.values()) {
    if (!response.headersSent) closeAfter(response);
  }
}

/** The connection ends after this answer. Over HTTP/2, after all answers under way: others are refused unread. */
function closeAfter(response: ServerResponse): void {
  const stream = streamOf(response);
  if (stream) stream.session?.close();
  else response.shouldKeepAlive = false;
}

/** Destroys the connections of answers that are still under way. They leave the list later, when Node reports it. */
export function cutAnswers({ underWay }: HandlerContext): void {
  for (const response of underWay) response.destroy();
}

/** Resolves when no answer is under way. */
export function untilQuiet({ underWay, onQuiet }: HandlerContext): Promise<void> {
  if (underWay.length === 0) return Promise.resolve();
  return new Promise((resolve) => onQuiet.add(resolve));
}

/** Resolves when the answers that are under way have ended. Others may have begun meanwhile. */
export async function untilAnswered({ underWay }: HandlerContext): Promise<void> {
  await Promise.all(underWay.map((response) => new Promise((end) => response.once('close', end))));
}
