import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { keepWhileOpen } from './keep-while-open.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

const newAnswer = () => new ServerResponse(new IncomingMessage(new Socket()));

it('keeps the answers that have not ended, in the order of their requests', () => {
  const answers: ServerResponse[] = [];
  const all = Array.from({ length: 5 }, newAnswer);
  for (const answer of all) keepWhileOpen(answers, answer);
  all[1]?.emit('close');
  all[3]?.emit('close');
  expect(answers).toEqual([all[0], all[2], all[4]]);
});

it('reports the end of an answer when it has left the list', () => {
  const answers: ServerResponse[] = [];
  const left: number[] = [];
  const [first, second] = [newAnswer(), newAnswer()];
  for (const answer of [first, second]) {
    keepWhileOpen(answers, answer, () => left.push(answers.length));
  }
  second.emit('close');
  first.emit('close');
  expect(left).toEqual([1, 0]);
});

it('leaves nothing of ended answers among the old objects', () => {
  const answers: ServerResponse[] = [];
  const each = { rounds: 400, answers: 20, numbers: 500 };
  keepWhileOpen(answers, newAnswer());
  collect();
  const before = oldBytes();
  for (let round = 0; round < each.rounds; round += 1) {
    beginAnswers(answers, each);
    collect({ type: 'minor' });
    for (const answer of answers.slice(1)) answer.emit('close');
    collect({ type: 'minor' });
  }
  const bytesOfAll = each.rounds * each.answers * each.numbers * 8;
  expect(oldBytes() - before).toBeLessThan(bytesOfAll / 2);
});

function beginAnswers(
  list: ServerResponse[],
  { answers, numbers }: Record<'answers' | 'numbers', number>,
): void {
  for (let count = 0; count < answers; count += 1) {
    const answer = Object.assign(new EventEmitter() as ServerResponse, {
      payload: Array.from({ length: numbers }, Math.random),
    });
    keepWhileOpen(list, answer);
  }
}

function oldBytes(): number {
  const spaces = getHeapSpaceStatistics().filter(({ space_name }) => space_name === 'old_space');
  return spaces.reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}
