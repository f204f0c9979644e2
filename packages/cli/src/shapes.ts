/** The command `dowel shapes`. */
import { formatShapes } from '@dowel/schema';
import type { Command } from './command.ts';
import { whileOpen } from './while-open.ts';

export const showShapes: Command = {
  summary: 'print what events, pages and answers of the platform look like, without values',
  async run({ settings, say }) {
    const shapes = await whileOpen(settings, (store) => store.shapes.list());
    for (const line of formatShapes(shapes).split('\n')) say(line);
    return 0;
  },
};
