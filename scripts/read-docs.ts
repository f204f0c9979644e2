/** The documents as data: tables that name tests, and the titles in a test file. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const root = new URL('../', import.meta.url);

/** A file's text, by its path from the root of the repository. */
export const read = (path: string) => readFile(new URL(path, root), 'utf8');

/** The paths of the files in git that match one of the patterns. */
export async function listFiles(...patterns: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', ...patterns], { cwd: root });
  return stdout.split('\n').filter((path) => path !== '');
}

/** The `package.json` of each package and app, without those of the templates in `packages/create-dowel`. */
export async function listManifests(...folders: ('packages' | 'apps')[]): Promise<string[]> {
  const files = await listFiles(...folders.map((folder) => `${folder}/*/package.json`));
  return files.filter((file) => file.split('/').length === 3);
}

/** A test as the documents name it: `` `file` › title ``. */
interface NamedTest {
  file: string;
  title: string;
}

export interface Row {
  /** The first word of the first cell: a rule's number or a threat's. */
  id: string;
  files: string[];
  tests: NamedTest[];
}

/** The rows of all tables whose last cell names tests. Cells before it may name files, in backticks. */
export function readRows(document: string): Row[] {
  const lines = document.split('\n').filter((line) => /^\| [^|]*\d.*›/.test(line));
  return lines.map((line) => {
    const cells = line.split('|').slice(1, -1);
    const tests = cells.at(-1) ?? '';
    const others = cells.slice(1, -1).join(' ');
    return {
      id: (cells[0] ?? '').trim().split(' ')[0] ?? '',
      files: [...others.matchAll(/`([\w@.-]+\/[\w@./-]+)(?:#\w+)?`/g)].map(([, file = '']) => file),
      tests: tests.split('<br>').map((cell) => {
        const [file = '', title = ''] = cell.split(' › ');
        return { file: file.trim().replaceAll('`', ''), title: title.trim() };
      }),
    };
  });
}

/** A row of docs/threats.md: its files may end in the name of a control, such as `#B02`. */
interface ThreatRow {
  ids: string[];
  files: string[];
  tests: string[];
}

/** The rows of docs/threats.md, which name test files; the titles in them begin with the row's ids. */
export function readThreats(document: string): ThreatRow[] {
  const lines = document.split('\n').filter((line) => /^\| [A-Z]\d/.test(line));
  return lines.map((line) => {
    const [ids = '', , , files = '', tests = ''] = line.split(' | ');
    return {
      ids: ids.replace('| ', '').split(', '),
      files: readPaths(files),
      tests: readPaths(tests),
    };
  });
}

const readPaths = (cell: string) =>
  [...cell.matchAll(/`([\w@.-]+\/[\w@./#-]+)`/g)].map(([, path = '']) => path);

/** Every title of a test, as written: with its `%s`, `$name` and `${name}`. */
export function readTitles(source: string): string[] {
  const titles = source.matchAll(/(?<!describe)\(\s*(['"`])((?:(?!\1)[^\\\n]|\\.)+)\1,/g);
  return [...titles].map(([, , title = '']) => title);
}
