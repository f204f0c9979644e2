#!/usr/bin/env node
/** `npm create dowel`. Everything else is loaded after this check, because an old Node may not read it. */

// A reader such as head may close a pipe early: the folder is completed all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Node ${process.versions.node} is too old: install Node 22.19 or newer, https://nodejs.org.\n`,
  );
  process.exitCode = 1;
} else {
  const { createDowel } = await import('./create-dowel.ts');
  process.exitCode = await createDowel(process.argv.slice(2));
}
