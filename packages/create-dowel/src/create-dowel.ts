import { basename, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { adaptDockerfile } from './adapt-dockerfile.ts';
import { copyTemplate, templates } from './copy-template.ts';
import { CreateError } from './create-error.ts';
import { findPackageManager, install, type PackageManager } from './package-manager.ts';
import { listTarballs, takeTarballs } from './take-tarballs.ts';

const usage = `Usage: npm create dowel FOLDER [-- OPTIONS]

  --template react      back end in TypeScript and page in React (default)
  --template node       back end in JavaScript, and a page without a script
  --no-install          do not install the dependencies
  --packages FOLDER     take Dowel's packages from tarballs in this folder
`;

const failed = 1;
const misused = 2;

/** Creates a plug-in as the arguments say, and says what to do next. Returns the exit code: 0 done, 1 failed, 2 misused. */
export async function createDowel(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (typeof options === 'string') {
    if (options === '') process.stdout.write(usage);
    else process.stderr.write(`${options}\n\n${usage}`);
    return options === '' ? 0 : misused;
  }
  try {
    await create(options);
    return 0;
  } catch (error) {
    if (!(error instanceof CreateError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return failed;
  }
}

type Options = Exclude<ReturnType<typeof readOptions>, string>;

/** Returns what is wrong as a text; '' asks for help. */
function readOptions(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        template: { ...text, default: 'react' },
        packages: text,
        'no-install': flag,
        help: { ...flag, short: 'h' },
      },
    });
    const [folder, ...others] = positionals;
    if (values.help) return '';
    if (folder === undefined || others.length > 0) return 'Name one folder: npm create dowel lunch';
    if (!templates.includes(values.template)) {
      return `--template must be ${templates.join(' or ')}, not ${values.template}`;
    }
    const { template, packages } = values;
    return { folder: resolve(folder), template, packages, isInstalled: !values['no-install'] };
  } catch (error) {
    // Without Node's advice about arguments that begin with a hyphen.
    return (error as Error).message.replace(/\. To specify .*/s, '.');
  }
}

async function create({ folder, template, packages, isInstalled }: Options): Promise<void> {
  const manager = findPackageManager(process.env.npm_config_user_agent);
  const tarballs = packages === undefined ? undefined : await listTarballs(resolve(packages));
  await copyTemplate(template, folder);
  if (manager === 'pnpm') await adaptDockerfile(folder);
  if (tarballs) await takeTarballs(folder, { tarballs, manager });
  if (isInstalled && !(await install(folder, manager))) {
    throw new CreateError(
      `${manager} install failed, see above. The files are in ${folder}: correct the cause, and call ${manager} install there.`,
    );
  }
  process.stdout.write(describeNext(folder, { manager, isInstalled }));
}

function describeNext(
  folder: string,
  { manager, isInstalled }: { manager: PackageManager; isInstalled: boolean },
): string {
  const path = relative('.', folder);
  const commands = [
    ...(path === '' ? [] : [`cd ${forShell(path)}`]),
    ...(isInstalled ? [] : [`${manager} install`]),
    `${manager} run dev`,
  ];
  return `\n${basename(folder)} is ready. Next:\n\n${commands.map((each) => `  ${each}\n`).join('')}\n`;
}

/** One word of a command line. */
function forShell(path: string): string {
  // An option begins with a hyphen.
  const plain = path.startsWith('-') ? `.${sep}${path}` : path;
  if (!/[^\w./\\-]/.test(plain)) return plain;
  return process.platform === 'win32' ? `"${plain}"` : `'${plain.replaceAll("'", "'\\''")}'`;
}
