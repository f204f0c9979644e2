import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PlainExchange } from './plain-exchange.ts';

function begin() {
  const exchange = new PlainExchange();
  const abort = vi.fn();
  const controller = { abort, pause() {}, resume() {} } as unknown as Dispatcher.DispatchController;
  exchange.onRequestStart(controller);
  const answer = (...pieces: string[]) => {
    exchange.onResponseStart(controller, 200, {}, 'OK');
    for (const piece of pieces) exchange.onResponseData(controller, Buffer.from(piece));
  };
  return { exchange, abort, controller, answer };
}

test('an answer below 200 is not the answer', async () => {
  const { exchange, controller, answer } = begin();

  exchange.onResponseStart(controller, 103, {}, 'Early Hints');
  answer();

  expect(await exchange.answered).toMatchObject({ status: 200 });
});

test('the pieces of a body are whole when the last one has come', () => {
  const { exchange, answer } = begin();

  answer('a', 'b');
  expect(exchange.whole()).toBeUndefined();
  exchange.onResponseEnd();

  expect(String(exchange.whole())).toBe('ab');
});

test('a stream has the pieces from before it, and those that come later', async () => {
  const { exchange, controller, answer } = begin();
  answer('a', 'b');

  const stream = exchange.stream();
  exchange.onResponseData(controller, Buffer.from('c'));
  exchange.onResponseEnd();

  expect(await text(stream)).toBe('abc');
});

test.each<[string, (exchange: PlainExchange) => void]>([
  ['broke off', (exchange) => exchange.onResponseError(undefined, new Error('over'))],
  ['was ended', (exchange) => exchange.end(new Error('over'))],
])('a body that %s before its stream was made fails', async (_, end) => {
  const { exchange, answer } = begin();
  answer('a');

  end(exchange);

  await expect(text(exchange.stream())).rejects.toThrow('over');
});

test('an exchange that ends before anybody waits for it is no rejection that nobody handles', async () => {
  const { exchange } = begin();
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));

  exchange.end(new Error('over'));
  await nextTurn();

  expect(unhandled).not.toHaveBeenCalled();
  await expect(exchange.answered).rejects.toThrow('over');
});

test('the end of a stream that nobody wants ends the request', () => {
  const { exchange, abort, answer } = begin();
  answer('a');

  exchange.stream().destroy();

  expect(abort).toHaveBeenCalledOnce();
});
