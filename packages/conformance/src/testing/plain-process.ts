/**
 * The plain back end as a process: `node plain-process.ts PORT FOLDER [MISTAKE]`. The folder has its installations, and
 * the origin that it trusts in the file `trusts`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MistakeName } from './mistakes.ts';
import { startPlainBackEnd } from './plain-back-end.ts';

const [port, folder = '', mistake] = process.argv.slice(2);

try {
  await startPlainBackEnd({
    port: Number(port),
    trusts: readFileSync(join(folder, 'trusts'), 'utf8'),
    file: join(folder, 'installations.json'),
    mistake: mistake as MistakeName | undefined,
  });
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  process.stderr.write(code === 'EADDRINUSE' ? `Port ${port} is in use` : message);
  process.exitCode = 1;
}
