/** The functions that the packages' entry points export, with their doc comments. */
import { dirname, join } from 'node:path';
import { listFiles, read } from './read-docs.ts';

export interface ExportedFunction {
  /** The place of the declaration: `packages/http/src/guarded-fetch.ts createGuardedFetch`. */
  place: string;
  name: string;
  /** The text between `/**` and the comment's end; empty when there is no doc comment. */
  comment: string;
}

/** The functions of all entry points of all packages; entries for tests (`./testing`, `./contract`) not. */
export async function readExportedFunctions(): Promise<ExportedFunction[]> {
  const manifests = await listFiles('packages/*/package.json');
  const found = await Promise.all(manifests.map(readPackage));
  return found.flat();
}

async function readPackage(manifest: string): Promise<ExportedFunction[]> {
  const { exports = {} } = JSON.parse(await read(manifest)) as { exports?: Record<string, string> };
  const entries = Object.entries(exports)
    .filter(([name, file]) => file.endsWith('.ts') && !['./testing', './contract'].includes(name))
    .map(([, file]) => join(dirname(manifest), file));
  const found = await Promise.all(entries.map((entry) => readModule(entry)));
  return found.flat();
}

/** The functions that a module declares or passes on: all, or those with these names. */
async function readModule(file: string, names?: string[]): Promise<ExportedFunction[]> {
  // JavaScript modules are documented in their type declarations.
  const source = await read(file.replace(/\.js$/, '.d.ts'));
  const own = readFunctions(source)
    .filter(({ name }) => names?.includes(name) ?? true)
    .map((each) => ({ ...each, place: `${file} ${each.name}` }));
  const passedOn = await Promise.all(
    readReExports(source).map((each) => readModule(join(dirname(file), each.from), each.names)),
  );
  return [...own, ...passedOn.flat()];
}

function readReExports(source: string): { from: string; names?: string[] }[] {
  const all = [...source.matchAll(/^export \* from '([^']+)';/gm)].map(([, from = '']) => ({
    from,
  }));
  const named = [...source.matchAll(/^export \{([^}]*)\} from '([^']+)';/gm)].map(
    ([, names = '', from = '']) => ({ from, names: names.split(',').map((name) => name.trim()) }),
  );
  return [...all, ...named];
}

/** Overloads count once, by their first declaration. */
function readFunctions(source: string): { name: string; comment: string }[] {
  const pattern =
    /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^export (?:(?:async )?function\*? ?(?:\* )?(\w+)|const (\w+) = (?:async )?(?:<[^=]*>)?\()/gm;
  const byName = new Map<string, string>();
  for (const [, comment = '', declared, assigned] of source.matchAll(pattern)) {
    const name = declared ?? assigned ?? '';
    if (!byName.has(name)) byName.set(name, comment.trim());
  }
  return [...byName].map(([name, comment]) => ({ name, comment }));
}
