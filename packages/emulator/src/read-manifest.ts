/** Reads a plug-in's manifest from its URL (Spec §2.1), with limits of size and time. */
import { explainFetchFailure, readBounded } from '@dowel/http';
import { type Manifest, type ManifestProblem, parseManifest, resolveUrl } from '@dowel/schema';
import { describeAnswer, shownUrl } from './describe-answer.ts';
import type { Environment } from './environment.ts';
import { InstallationFailedError } from './errors.ts';
import type { ExchangeEnd } from './exchange-log.ts';

const maxManifestBytes = 256 * 1024;
const headers = { accept: 'application/json' };

/** @throws InstallationFailedError `MANIFEST_UNREACHABLE`, `MANIFEST_INVALID` */
export async function readManifest(
  env: Environment,
  manifestUrl: string,
  reader: { tenantId: string; pluginId: string },
): Promise<Manifest> {
  const record = env.exchanges.begin({
    ...reader,
    at: env.now(),
    direction: 'out',
    kind: 'manifest',
    method: 'GET',
    url: manifestUrl,
    headers,
    body: '',
  });
  const answer: Pick<ExchangeEnd, 'status' | 'answer'> = { status: null, answer: null };
  let error: ExchangeEnd['error'] = null;
  try {
    return await loadManifest(env, manifestUrl, (response, body) => {
      answer.status = response.status;
      answer.answer = { headers: Object.fromEntries(response.headers), body };
    });
  } catch (cause) {
    if (cause instanceof InstallationFailedError)
      error = { code: cause.code, message: cause.message };
    throw cause;
  } finally {
    const answeredAt = answer.status === null ? null : env.now();
    env.exchanges.end(record, { ...answer, answeredAt, error });
  }
}

/** Called with the head of an answer, and again with its text. */
type OnAnswer = (response: Response, body: string) => void;

/**
 * Reads it without a record of the request.
 *
 * @throws InstallationFailedError `MANIFEST_UNREACHABLE`, `MANIFEST_INVALID`
 */
export async function loadManifest(
  env: Environment,
  manifestUrl: string,
  onAnswer: OnAnswer = () => undefined,
): Promise<Manifest> {
  const response = await get(env, manifestUrl, onAnswer);
  const text = await readText(response).catch((cause: unknown) => {
    throw invalid('It is not UTF-8 text, or too large', cause);
  });
  onAnswer(response, text);
  const parsed = parseManifest(text, manifestUrl);
  if (parsed.ok) return parsed.manifest;
  const isJson = parsed.problems.every(({ code }) => !/^JSON_(?:EMPTY|UNEXPECTED)$/.test(code));
  const url = new URL(manifestUrl);
  const answer = isJson ? '' : ` ${describeAnswer(response, { method: 'GET', url, text })}.`;
  throw invalid(`${describeProblems(parsed.problems)}${answer}`, parsed.problems);
}

async function get(env: Environment, manifestUrl: string, onAnswer: OnAnswer): Promise<Response> {
  try {
    const response = await env.fetch(resolveUrl(manifestUrl, manifestUrl), {
      headers,
      // Relative URLs resolve against this URL, so redirects are refused.
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(env.timeoutMs), env.closed]),
    });
    onAnswer(response, '');
    if (response.ok) return response;
    await response.body?.cancel();
    throw new Error(`it answers with status ${response.status}`);
  } catch (cause) {
    const message = `The manifest could not be read from ${placeOfText(manifestUrl)}: ${explainFetchFailure(cause)}.`;
    throw new InstallationFailedError({ code: 'MANIFEST_UNREACHABLE', message }, [], { cause });
  }
}

function placeOfText(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? shownUrl(parsed) : 'its URL';
}

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return decoder.decode(await readBounded(body, maxManifestBytes));
}

/** The first few, because the message is shown in a form. */
function describeProblems(problems: ManifestProblem[]): string {
  return problems
    .slice(0, 3)
    .map(({ line, pointer, message, fix }) =>
      [`Line ${line}${pointer && `, ${pointer}`}:`, message, fix].join(' '),
    )
    .join(' ');
}

function invalid(reason: string, cause: unknown): InstallationFailedError {
  const message = `The manifest is invalid. ${reason}`;
  return new InstallationFailedError({ code: 'MANIFEST_INVALID', message }, [], { cause });
}
