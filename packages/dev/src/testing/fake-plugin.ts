/** A plug-in without Dowel: it serves its manifest and accepts each event. */
const entryPoint = (end: number, name = 'Lunch') => ({
  id: `2d1b8f52-4c0f-4f0e-9f0b-6f3f0c1a7e0${end}`,
  url: 'plugin/',
  name: { en: name },
  description: { en: name },
});

/** Returns the text of a manifest with so many entry points. */
export function manifestWith(count: number, changes: object = {}): string {
  return JSON.stringify({
    manifestVersion: '2.5.0',
    pluginVersion: '1.0.0',
    name: { en: 'Lunch' },
    description: { en: 'Lunch' },
    lifecycle: { url: 'lifecycle/', events: ['install', 'uninstall', 'instance_add'] },
    entryPoints: Array.from({ length: count }, (_, index) => entryPoint(index + 1)),
    ...changes,
  });
}

const program = `
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const manifest = readFileSync('manifest.json', 'utf8');
createServer((request, response) => {
  const isEvent = request.method === 'POST';
  response.writeHead(isEvent ? 201 : 200, { 'content-type': 'application/json' });
  response.end(isEvent ? '{}' : manifest);
}).listen(process.env.PORT);
`;

export const fakePlugin = {
  'package.json': '{ "type": "module" }',
  'manifest.json': manifestWith(1),
  'server.js': program,
};
