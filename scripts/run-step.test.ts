import { expect, test } from 'vitest';
import { runStep } from './run-step.ts';

test('a step resolves with its exit code and its output', async () => {
  const program = 'console.log("printed"); process.exitCode = 3';

  expect(await runStep('node', ['-e', program], { capture: true })).toEqual({
    code: 3,
    output: 'printed\n',
  });
});

test('a step that exceeds its limit ends with 124, and so does everything it started', async () => {
  // The child inherits the output: the step closes only when the child has ended as well.
  const program = `
    require('node:child_process').spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'inherit' });
    for (;;);`;

  const { code } = await runStep('node', ['-e', program], { capture: true, limitMs: 1_000 });

  expect(code).toBe(124);
});

test('a step that ends within its limit keeps its own exit code', async () => {
  expect(await runStep('node', ['-e', ''], { limitMs: 600_000 })).toEqual({ code: 0, output: '' });
});
