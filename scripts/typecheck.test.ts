/** `npm test` checks the types of each file, also in a folder that is new. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './run-step.ts';

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);

/** The tsconfig files that the scripts `typecheck…` of a workspace name. */
function listProjects(manifest: string): string[] {
  const { scripts = {} } = JSON.parse(readFileSync(resolve(root, manifest), 'utf8')) as {
    scripts?: Record<string, string>;
  };
  return Object.entries(scripts)
    .filter(([name]) => name.startsWith('typecheck'))
    .flatMap(([, command]) => [...command.matchAll(/tsc -p (\S+)/g)])
    .map(([, project = '']) => resolve(root, dirname(manifest), project));
}

function listChecked(project: string): string[] {
  const shown = execFileSync('tsc', ['-p', project, '--showConfig'], { encoding: 'utf8' });
  const folder = project.endsWith('.json') ? dirname(project) : project;
  const { files } = JSON.parse(shown) as { files: string[] };
  return files.map((file) => relative(root, resolve(folder, file)));
}

test('each TypeScript file is in a project whose types are checked', () => {
  const projects = git('ls-files', '*package.json').flatMap(listProjects);
  const checked = new Set(projects.flatMap(listChecked));

  const present = git('ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx');
  const deleted = new Set(git('ls-files', '--deleted'));
  const unchecked = present.filter((file) => !checked.has(file) && !deleted.has(file));

  expect(projects.length).toBeGreaterThan(2);
  expect(unchecked).toEqual([]);
});
