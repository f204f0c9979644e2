import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

test('SIGTERM ends the step, what it started, and then this process', async () => {
  const step = `
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    console.log(child.pid);
    setInterval(() => {}, 1000);`;
  const program = `
    import { runStep } from ${JSON.stringify(import.meta.resolve('./run-step.ts'))};
    await runStep(process.execPath, ['-e', ${JSON.stringify(step)}]);
    console.log('the next step');`;
  const outer = spawn(process.execPath, ['--input-type=module', '-e', program]);
  let output = '';
  outer.stdout.on('data', (text: Buffer) => {
    output += text.toString();
  });
  await expect.poll(() => output).toMatch(/^\d+\n$/);

  outer.kill('SIGTERM');

  // The output is closed when nothing has it any more.
  expect(await once(outer, 'close')).toEqual([null, 'SIGTERM']);
  expect(output).toMatch(/^\d+\n$/);
});

test('a step that ends within its limit keeps its own exit code', async () => {
  expect(await runStep('node', ['-e', ''], { limitMs: 600_000 })).toEqual({ code: 0, output: '' });
});
