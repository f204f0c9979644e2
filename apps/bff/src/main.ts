/** The sample plug-in's back end. A failed start prints its reason in one line. */
import { fileURLToPath } from 'node:url';
import { runProgram } from '@dowel/server/program';
import { operations } from './operations.ts';
import { assertSafeStart, ignoreInspectorSignal, readStart } from './start-guard.ts';

const builtPages = (app: string) => fileURLToPath(new URL(`../../${app}/dist`, import.meta.url));

async function main(): Promise<void> {
  // Other users may not read this process's files, under any umask of the shell.
  process.umask(0o077);
  let tellOfSignal = () => {};
  ignoreInspectorSignal(() => tellOfSignal());
  assertSafeStart(readStart());
  await runProgram({
    pages: { plugin: builtPages('plugin'), admin: builtPages('admin') },
    operations,
    onLogger(logger) {
      tellOfSignal = () => logger.warn('inspector.refused');
    },
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
