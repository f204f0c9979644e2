/** Routes of the control API: what an open page of the platform needs. */
import {
  initAnswerSchema,
  initRequestSchema,
  notificationsSchema,
  saveAnswerSchema,
  saveRequestSchema,
} from './control-api.ts';
import { type Control, type ControlRoute, route } from './control-route.ts';
import { streamChanges } from './stream-changes.ts';

/** The signed messages that the page around an iframe sends to it, and what reaches the user. */
export function pageRoutes({ env, operations }: Control): ControlRoute[] {
  return [
    route({
      method: 'POST',
      path: '/init',
      summary: 'The signed answer to the init message of an iframe',
      body: initRequestSchema,
      answer: initAnswerSchema,
      status: 201,
      handle: async ({ body }, { userId }) => ({
        initJwt: await operations.createInitJwt({ userId, ...body }),
      }),
    }),
    route({
      method: 'POST',
      path: '/save',
      summary: 'The signed request to a configuration page',
      body: saveRequestSchema,
      answer: saveAnswerSchema,
      status: 201,
      handle: ({ body: { instanceId } }, { userId }) =>
        operations.createSaveJwt({ userId, instanceId }),
    }),
    route({
      method: 'GET',
      path: '/notifications',
      summary: 'The notifications of the user, newest first',
      answer: notificationsSchema,
      handle: (_, { userId }) => ({ notifications: operations.notifications(userId) }),
    }),
    route({
      method: 'GET',
      path: '/changes',
      summary: 'Server-sent events that name what to load again',
      handle: ({ ctx }, visitor) => streamChanges(ctx, env, visitor),
    }),
  ];
}
