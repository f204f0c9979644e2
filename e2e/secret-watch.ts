/** Keeps all that a browser, an operator and a log get to see in a run, and looks for the platform's secrets in it. */
import type { BrowserContext, Page, Response } from '@playwright/test';
import { encodingsOf } from '../packages/installation-store/src/testing/encodings-of.ts';

export interface SecretWatch {
  /** Keeps each address, header and body that the pages of the context get. A browser forgets the bodies of a page that is left. */
  follow(context: BrowserContext): void;
  /** Resolves when every body that has begun to arrive is kept. Await it before a page is left whose bodies matter. */
  readAll(): Promise<void>;
  /** Keeps what the frames of the page show now. */
  keepPage(page: Page): Promise<void>;
  keep(where: string, text: string): void;
  /** These texts must be nowhere. */
  learn(secrets: readonly string[]): void;
  /** How many secrets are known, and how many texts were kept. */
  count(): Promise<{ secrets: number; texts: number }>;
  /** Whether the text was seen: proof that the watch keeps what matters. */
  hasSeen(text: string): Promise<boolean>;
  /** Where a secret was found, in any of its encodings; never the secret itself. */
  findLeaks(): Promise<string[]>;
}

export function createSecretWatch(): SecretWatch {
  const secrets = new Set<string>();
  const kept = new Map<string, string>();
  const arriving = new Set<Promise<void>>();
  const keep = (where: string, text: string) => {
    kept.set(text, where);
  };
  const readAll = async () => {
    await Promise.all(arriving);
  };
  return {
    keep,
    readAll,

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
      return { secrets: secrets.size, texts: kept.size };
    },

    async hasSeen(text) {
      await readAll();
      return [...kept.keys()].some((each) => each.includes(text));
    },

    async findLeaks() {
      await readAll();
      const encoded = [...secrets].flatMap(encodingsOf);
      return [...kept].flatMap(([text, where]) => {
        const bytes = Buffer.from(text);
        return encoded.some((each) => bytes.includes(each)) ? [where] : [];
      });
    },
  };
}

/** A stream has no end, and a redirect has no body: of them, address and headers are kept. */
async function readResponse(response: Response, keep: SecretWatch['keep']): Promise<void> {
  const { 'set-cookie': _, ...headers } = response.headers();
  const { pathname } = new URL(response.url());
  keep(`the head of ${pathname}`, `${response.url()} ${JSON.stringify(headers)}`);
  if (headers['content-type']?.startsWith('text/event-stream')) return;
  keep(`the answer of ${pathname}`, await response.text().catch(() => ''));
}
