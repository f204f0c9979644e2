/** A cached result of lint and of types is right only if every file that could change it is an input. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runStep } from './run-step.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Task {
  taskId: string;
  /** The hash of each file. */
  inputs: Record<string, string>;
}

function listFiles(): string[] {
  const list = (...options: string[]) =>
    execFileSync('git', ['ls-files', '-z', ...options], { cwd: root })
      .toString()
      .split('\0');
  const deleted = new Set(['', ...list('--deleted')]);
  return list('--cached', '--others', '--exclude-standard')
    .filter((path) => !deleted.has(path))
    .toSorted();
}

test('each file of the repository is an input of each task of the root', async () => {
  const args = [
    'run',
    'lint:format',
    'lint:types',
    'lint:unused',
    'typecheck:node',
    'typecheck:tools',
    '--dry=json',
  ];

  const { output } = await runStep('turbo', args, { capture: true });

  const { tasks } = JSON.parse(output.slice(output.indexOf('{'))) as { tasks: Task[] };
  expect(tasks.map(({ taskId }) => taskId)).toEqual([
    '//#lint:format',
    '//#lint:types',
    '//#lint:unused',
    '//#typecheck:node',
    '//#typecheck:tools',
  ]);
  for (const { inputs } of tasks) expect(Object.keys(inputs).toSorted()).toEqual(listFiles());
});
