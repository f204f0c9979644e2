/**
 * Collects everything that a browser, an operator and a log see in a run, and searches it for the platform's secrets.
 */
import type { BrowserContext, Page, Response } from '@playwright/test';
import { encodingsOf } from '../packages/installation-store/src/testing/encodings-of.ts';

export interface SecretWatch {
  /**
   * Collects each address, header and body that the pages of the context receive. The browser drops the bodies of
   * closed pages.
   */
  follow(context: BrowserContext): void;
  /**
   * Reads a stream of server-sent events with a request of its own, because the browser hands out no body that has no
   * end. Resolves when the server has answered; what comes is collected until the returned function is called.
   */
  readStream(url: string, headers: Record<string, string>): Promise<() => Promise<void>>;
  /** Resolves when all bodies under way are collected. Await it before leaving a page. */
  readAll(): Promise<void>;
  /** Collects the current content of the page's frames. */
  keepPage(page: Page): Promise<void>;
  keep(where: string, text: string): void;
  /** Adds texts that must not be found. */
  learn(secrets: readonly string[]): void;
  /** The number of known secrets and of collected texts. */
  count(): Promise<{ secrets: number; texts: number }>;
  /** Whether the text was collected. It proves that the watch sees such texts. */
  hasSeen(text: string): Promise<boolean>;
  /** The places where a secret was found, in any encoding; never the secret itself. */
  findLeaks(): Promise<string[]>;
}

export function createSecretWatch(): SecretWatch {
  const secrets = new Set<string>();
  const kept = new Map<string, string>();
  const streams: Stream[] = [];
  const arriving = new Set<Promise<void>>();
  const keep = (where: string, text: string) => {
    kept.set(text, where);
  };
  const readAll = async () => {
    await Promise.all(arriving);
  };
  const list = () => [...kept, ...streams.map(({ text, where }) => [text, where] as const)];
  return {
    keep,
    readAll,

    async readStream(url, headers) {
      const stream: Stream = { where: `the stream of ${new URL(url).pathname}`, text: '' };
      streams.push(stream);
      return openStream(stream, url, headers);
    },

    follow(context) {
      context.on('response', (response) => {
        const reading = readResponse(response, keep).finally(() => arriving.delete(reading));
        arriving.add(reading);
      });
    },

    async keepPage(page) {
      for (const frame of page.frames()) {
        const shown = await frame.content().catch(() => '');
        keep(`the page ${new URL(frame.url(), 'about:blank').pathname}`, shown);
      }
    },

    learn(found) {
      for (const secret of found) secrets.add(secret);
    },

    async count() {
      await readAll();
      return { secrets: secrets.size, texts: list().length };
    },

    async hasSeen(text) {
      await readAll();
      return list().some(([each]) => each.includes(text));
    },

    async findLeaks() {
      await readAll();
      const encoded = [...secrets].flatMap(encodingsOf);
      return list().flatMap(([text, where]) => {
        const bytes = Buffer.from(text);
        return encoded.some((each) => bytes.includes(each)) ? [where] : [];
      });
    },
  };
}

interface Stream {
  where: string;
  /** What came until now. */
  text: string;
}

/** @returns a function that ends the reading. */
async function openStream(
  stream: Stream,
  url: string,
  headers: Record<string, string>,
): Promise<() => Promise<void>> {
  const ending = new AbortController();
  const answer = await fetch(url, { headers, signal: ending.signal });
  if (!answer.ok || !answer.body) throw new Error(`${stream.where}: ${answer.status}`);
  const reading = collect(stream, answer.body);
  return async () => {
    ending.abort();
    await reading;
  };
}

/** Resolves when the stream has ended, or was aborted. */
async function collect(stream: Stream, body: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      stream.text += decoder.decode(value, { stream: true });
    }
  } catch {
    // What came before the end is collected.
  }
}

/** Of a stream, which has no end, and a redirect, which has no body, only address and headers are collected. */
async function readResponse(response: Response, keep: SecretWatch['keep']): Promise<void> {
  const { 'set-cookie': _, ...headers } = response.headers();
  const { pathname } = new URL(response.url());
  keep(`the head of ${pathname}`, `${response.url()} ${JSON.stringify(headers)}`);
  if (headers['content-type']?.startsWith('text/event-stream')) return;
  keep(`the answer of ${pathname}`, await response.text().catch(() => ''));
}
