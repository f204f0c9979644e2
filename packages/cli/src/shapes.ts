/** The command `dowel shapes`. */
import { formatShapes, shapesSchema } from '@dowel/admin-api';
import { callBackEnd } from './call-back-end.ts';
import type { Command } from './command.ts';

export const showShapes: Command = {
  summary: 'print what events, pages and answers of the platform look like, without values',
  hasJson: true,
  async run(context) {
    const answer = await callBackEnd(context, { path: '/shapes', answer: shapesSchema });
    context.print(answer, () => formatShapes(answer.shapes).split('\n'));
    return 0;
  },
};
