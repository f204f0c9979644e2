/** The commands of `@dowel/dev`, which a plug-in has for its development and operators do not need. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const names = ['dev', 'emulator', 'send', 'fault', 'doctor'];

interface DevTools {
  runDevCommand(args: readonly string[]): Promise<number>;
}

export function isDevCommand([name = '']: readonly string[]): boolean {
  return names.includes(name);
}

/** Loads the package from the working folder, so that its version is the plug-in's. Returns the exit code. */
export async function runDevCommand(
  args: readonly string[],
  { warn }: { warn(line: string): void },
): Promise<number> {
  const url = findPackage(process.cwd());
  if (url !== undefined) return ((await import(url)) as DevTools).runDevCommand(args);
  warn(
    `"dowel ${args[0]}" is in another package. Install it in your plug-in's folder: npm install -D @dowel/dev`,
  );
  return 1;
}

function findPackage(folder: string): string | undefined {
  try {
    return pathToFileURL(createRequire(join(folder, 'package.json')).resolve('@dowel/dev')).href;
  } catch {
    return undefined;
  }
}
