import { Response as UndiciResponse } from 'undici';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WholeResponse } from './derived-response.ts';

const text = '\u{feff}{"name":"Zoë"}';
const init = {
  status: 201,
  statusText: 'Made',
  headers: { 'content-type': 'application/json', etag: '"1"' },
};
const form = {
  text: 'a=1&b=%C3%AB',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
};
/** Tests of other files may have put Hono's `Response` in place of Node's. */
const UsualResponse = UndiciResponse as unknown as typeof Response;

const bytesOf = (content: string) => new TextEncoder().encode(content);

const readAll = async (stream: Response['body']) => await new Response(stream).text();

const readers: [string, (answer: Response) => unknown][] = [
  [
    'status and headers',
    ({ status, ok, statusText, headers }) => [status, ok, statusText, [...headers]],
  ],
  ['text', (answer) => answer.text()],
  ['json', (answer) => answer.json()],
  ['bytes', async (answer) => [...(await answer.bytes())]],
  ['arrayBuffer', async (answer) => [...new Uint8Array(await answer.arrayBuffer())]],
  [
    'blob',
    async (answer) => {
      const { type, size } = await answer.blob();
      return [type, size];
    },
  ],
  ['body', (answer) => readAll(answer.body)],
  ['the same body twice', (answer) => new Set([answer.body, answer.body]).size],
  ['clone', async (answer) => [await answer.clone().text(), await answer.text(), answer.bodyUsed]],
  ['the headers of a clone', (answer) => [...answer.clone().headers]],
  ['text twice', async (answer) => [await answer.text(), await fault(() => answer.text())]],
  [
    'json and then body',
    async (answer) => [await answer.json(), answer.body?.locked, answer.bodyUsed],
  ],
  [
    'text and then bytes',
    async (answer) => [await answer.text(), await fault(() => answer.bytes())],
  ],
  [
    'text and then clone',
    async (answer) => [await answer.text(), await fault(() => answer.clone())],
  ],
  [
    'bytes and then text',
    async (answer) => [(await answer.bytes()).length, await fault(() => answer.text())],
  ],
  [
    'a body that is read, and then text',
    async (answer) => {
      const reader = answer.body?.getReader();
      await reader?.read();
      return [answer.bodyUsed, await fault(() => answer.text())];
    },
  ],
  [
    'a body that is locked, and then json',
    async (answer) => {
      answer.body?.getReader();
      return [answer.bodyUsed, await fault(() => answer.json())];
    },
  ],
  [
    'a body that nobody reads, and then text',
    async (answer) => [answer.body !== null, await answer.text()],
  ],
  ['bodyUsed', async (answer) => [answer.bodyUsed, await answer.text(), answer.bodyUsed]],
];

async function fault(read: () => unknown): Promise<string> {
  try {
    return `no error: ${JSON.stringify(await read())}`;
  } catch (error) {
    return (error as Error).name;
  }
}

describe('an answer whose bytes are there reads as a usual one', () => {
  test.each(readers)('%s', async (_, read) => {
    const [own, usual] = [
      new WholeResponse(bytesOf(text), init),
      new UsualResponse(bytesOf(text), init),
    ];

    expect(await read(own)).toEqual(await read(usual));
  });

  test('a form', async () => {
    const { headers } = form;
    const answers = [
      new WholeResponse(bytesOf(form.text), { headers }),
      new UsualResponse(bytesOf(form.text), { headers }),
    ];

    const [own, usual] = await Promise.all(
      answers.map(async (answer) => [...(await answer.formData())]),
    );

    expect(own).toEqual(usual);
  });

  test('text that is no JSON', async () => {
    await expect(new WholeResponse(bytesOf('<p>'), init).json()).rejects.toThrow(SyntaxError);
  });

  test('also if Hono puts its own Response in place of the one it was made of', async () => {
    const NodeResponse = Response as unknown as new (...values: unknown[]) => object;
    class OtherResponse extends NodeResponse {
      bytes(): never {
        throw new TypeError('Cannot read private member #state');
      }
    }
    vi.stubGlobal('Response', OtherResponse);
    onTestFinished(() => void vi.unstubAllGlobals());
    const [first, second] = [1, 2].map(() => new WholeResponse(bytesOf(text), init));

    expect([...((await first?.bytes()) ?? [])]).toEqual([...bytesOf(text)]);
    expect(await second?.json()).toEqual({ name: 'Zoë' });
    expect(second?.body).toBeInstanceOf(ReadableStream);
  });
});
