/** Reads the examples of READMEs and doc comments, and finds them in tests. */
import { listFiles, read } from './read-docs.ts';

export interface Example {
  /** The file, and the number of the example in it. */
  place: string;
  code: string;
}

/** All `ts` and `tsx` blocks of the READMEs, and all `@example`s of doc comments. */
export async function readExamples(): Promise<Example[]> {
  const readmes = await listFiles('*README.md');
  const sources = (
    await listFiles('packages/*.ts', 'packages/*.tsx', 'apps/*.ts', 'apps/*.tsx')
  ).filter((file) => !/\.test\.tsx?$/.test(file));
  const found = await Promise.all([
    ...readmes.map(async (file) => place(file, readBlocks(await read(file)))),
    ...sources.map(async (file) => place(file, readDocExamples(await read(file)))),
  ]);
  return found.flat();
}

function place(file: string, codes: string[]): Example[] {
  return codes.map((code, index) => ({ place: `${file} (${index + 1})`, code }));
}

function readBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```tsx?\n(.*?)^```$/gms)].map(([, code = '']) => code.trim());
}

/** The blocks that are files of a guide: each follows a line that begins with the file's name. */
export function readNamedBlocks(markdown: string): { name: string; text: string }[] {
  const pattern = /^`([\w.]+)`[^\n]*:\n\n```\w+\n(.*?)^```$/gms;
  return [...markdown.matchAll(pattern)].map(([, name = '', text = '']) => ({ name, text }));
}

/** An example ends at the next tag, or with its comment. */
function readDocExamples(source: string): string[] {
  return [...source.matchAll(/^ *\/\*\*$.*?\*\/$/gms)].flatMap(([comment]) => {
    const text = comment.replaceAll(/^ *\*\/$/gm, '').replaceAll(/^ *\* ?/gm, '');
    return [...text.matchAll(/^@example\n(.*?)(?=^@|$(?![\s\S]))/gms)].map(([, code = '']) =>
      code.trim(),
    );
  });
}

interface Import {
  from: string;
  names: string[];
}

/** The lines of an example without its imports, and the imports. */
function splitImports(code: string): { imports: Import[]; body: string } {
  const pattern = /^import (?:type )?\{?([^}']*?)\}? from '([^']+)';\n?/gm;
  const imports = [...code.matchAll(pattern)].map(([, names = '', from = '']) => ({
    from,
    names: names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter(Boolean),
  }));
  return { imports, body: code.replaceAll(pattern, '').trim() };
}

/** Whether a test has these lines, one after the other and at any indentation, and imports what they need. */
export function standsIn(test: string, code: string): boolean {
  const { imports, body } = splitImports(code);
  const known = splitImports(test).imports;
  const hasImports = imports.every(({ from, names }) =>
    names.every((name) => known.some((each) => each.from === from && each.names.includes(name))),
  );
  return hasImports && indentations.some((indentation) => test.includes(indent(body, indentation)));
}

const indentations = ['', '  ', '    ', '      '];

function indent(code: string, indentation: string): string {
  return `\n${code.replaceAll(/^(?=.)/gm, indentation)}\n`;
}
