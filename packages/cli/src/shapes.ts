/** The command `dowel shapes`. */
import { formatShapes, shapesSchema } from '@dowel/admin-api';
import { callBackEnd } from './call-back-end.ts';
import type { Command } from './command.ts';

export const showShapes: Command = {
  summary: 'print what events, pages and answers of the platform look like, without values',
  async run(context) {
    const { shapes } = await callBackEnd(context, { path: '/shapes', answer: shapesSchema });
    for (const line of formatShapes(shapes).split('\n')) context.say(line);
    return 0;
  },
};
