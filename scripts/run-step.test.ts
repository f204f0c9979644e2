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

test.each(['SIGTERM', 'SIGHUP'] as const)(
  '%s ends the step, what it started, and then this process',
  async (signal) => {
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

    outer.kill(signal);

    // The output is closed when nothing has it any more.
    expect(await once(outer, 'close')).toEqual([null, signal]);
    expect(output).toMatch(/^\d+\n$/);
  },
);

test('after a signal no further step begins, and the process ends with the last running one', async () => {
  const slow = `process.on('SIGTERM', () => setTimeout(process.exit, 300)); console.log('slow'); setInterval(() => {}, 1000);`;
  const quick = `console.log('quick'); setInterval(() => {}, 1000);`;
  const program = `
    import { runStep } from ${JSON.stringify(import.meta.resolve('./run-step.ts'))};
    const run = (step) => runStep(process.execPath, ['-e', step]);
    const next = 'console.log("the next step")';
    await Promise.all([
      run(${JSON.stringify(slow)}).then(() => run(next)),
      run(${JSON.stringify(quick)}).then(() => run(next)),
    ]);`;
  const outer = spawn(process.execPath, ['--input-type=module', '-e', program]);
  let output = '';
  outer.stdout.on('data', (text: Buffer) => {
    output += text.toString();
  });
  await expect.poll(() => output.split('\n').toSorted()).toEqual(['', 'quick', 'slow']);

  outer.kill('SIGTERM');

  expect(await once(outer, 'close')).toEqual([null, 'SIGTERM']);
  expect(output).not.toContain('the next step');
});

test('a step that ends within its limit keeps its own exit code', async () => {
  expect(await runStep('node', ['-e', ''], { limitMs: 600_000 })).toEqual({ code: 0, output: '' });
});
