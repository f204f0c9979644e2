/**
 * For `pnpm test:controls`, which takes one control out of the code: takes it out of the processes that
 * are started here as well. No file is changed.
 */
import { registerHooks } from 'node:module';

interface Control {
  file: string;
  find: string;
  replace: string;
}

/** The same variable as in scripts/controls/control.ts. */
const variable = 'DOWEL_WITHOUT_CONTROL';

/** What a child process is told of it. */
export function controlEnvironment(): Record<string, string> {
  const control = process.env[variable];
  return control === undefined ? {} : { [variable]: control };
}

export function takeControlOut(): void {
  const text = process.env[variable];
  if (text === undefined) return;
  const { file, find, replace } = JSON.parse(text) as Control;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/${file}`) || !loaded.source) return loaded;
      const source = Buffer.from(loaded.source as string).toString();
      return { ...loaded, source: source.replace(find, () => replace) };
    },
  });
}
