/** One control of the code, and the tests that must fail without it. */
export interface Control {
  /** The row of docs/threats.md that the control answers; a word where there is no row. */
  id: string;
  /** Path from the workspace's root. */
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  /** The text that replaces it when the control is removed. */
  replace: string;
  /** Filters for vitest: the test files that guard it. */
  tests: string[];
}

/** The environment variable that passes a control to vitest.config.ts, as JSON. */
export const controlVariable = 'DOWEL_WITHOUT_CONTROL';

type Entry = [id: string, find: string, replace?: string];

/** Controls of one file, guarded by the same tests. */
export function controlsOf(file: string, tests: string[], entries: readonly Entry[]): Control[] {
  return entries.map(([id, find, replace = '']) => ({ id, file, find, replace, tests }));
}
