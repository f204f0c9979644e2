/**
 * For `pnpm test:controls`, which takes one control out of the code: what a process that a test starts
 * is given, so that the control is removed there, too.
 */

/** The same variable as in proof/controls/controls.ts. */
const variable = 'DOWEL_WITHOUT_CONTROL';
const program = new URL('./take-control-out.ts', import.meta.url).href;

export function controlEnvironment(): Record<string, string> {
  const control = process.env[variable];
  return control === undefined ? {} : { [variable]: control };
}

/** Options of Node. */
export function controlArguments(): string[] {
  return process.env[variable] === undefined ? [] : ['--import', program];
}
