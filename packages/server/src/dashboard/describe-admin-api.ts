/** The dashboard's API as an OpenAPI 3.1 document, from the schemas that check it. For scripts of operators. */
import {
  accountListSchema,
  actionNameSchema,
  actionRefusalSchema,
  actionRequestSchemas,
  actionResultSchema,
  adminSessionSchema,
  alertsSchema,
  alertTestRequestSchema,
  alertTestResultSchema,
  apiErrorSchema,
  auditListSchema,
  auditQuerySchema,
  changeRoleRequestSchema,
  endSessionRequestSchema,
  endSilenceRequestSchema,
  eraseUserRequestSchema,
  eraseUserResultSchema,
  fleetDetailSchema,
  fleetExportQuerySchema,
  fleetListSchema,
  fleetQuerySchema,
  fleetRowsQuerySchema,
  fleetRowsSchema,
  fleetSchema,
  fleetSeriesQuerySchema,
  fleetSeriesSchema,
  keysSchema,
  languageRequestSchema,
  liveChangesSchema,
  type OperatorRole,
  parkedHooksQuerySchema,
  parkedHooksSchema,
  passwordSignInRequestSchema,
  refusalsQuerySchema,
  refusalsSchema,
  removeAccountRequestSchema,
  runListSchema,
  runRequestSchema,
  runSchema,
  sessionListSchema,
  settingsSchema,
  shapesSchema,
  signInMethodsSchema,
  signInRequestSchema,
  signOutAnswerSchema,
  silenceRequestSchema,
  timelineQuerySchema,
  timelineSchema,
} from '@dowel/schema';
import { z } from 'zod';

type Method = 'get' | 'post' | 'delete';

interface AdminRoute {
  summary: string;
  /** The lowest role that may call it; undefined: no session is needed. */
  role?: OperatorRole;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Default 200. */
  status?: number;
  /** Undefined: the answer has no body. */
  answer?: z.ZodType;
  /** Default `application/json`. */
  mediaType?: string;
}

/** The routes by path below `/admin/api`, then by method. */
const routes: Readonly<Record<string, Partial<Record<Method, AdminRoute>>>> = {
  '/session': {
    get: { summary: 'Who is signed in', role: 'viewer', answer: adminSessionSchema },
    post: {
      summary: 'Sign in by a one-time code; sets the cookie',
      body: signInRequestSchema,
      status: 201,
      answer: adminSessionSchema,
    },
    delete: { summary: 'Sign out', role: 'viewer', answer: signOutAnswerSchema },
  },
  '/session/password': {
    post: {
      summary: 'Sign in by name and password; sets the cookie',
      body: passwordSignInRequestSchema,
      status: 201,
      answer: adminSessionSchema,
    },
  },
  '/session/language': {
    post: {
      summary: 'Choose the language of the dashboard',
      role: 'viewer',
      body: languageRequestSchema,
      status: 204,
    },
  },
  '/session/methods': {
    get: { summary: 'How one can sign in', answer: signInMethodsSchema },
  },
  '/session/oidc': {
    get: { summary: 'Redirects the browser to the identity provider', status: 303 },
  },
  '/session/oidc/callback': {
    get: { summary: 'Where the identity provider sends the browser back', status: 303 },
  },
  '/changes': {
    get: {
      summary: 'What changes, as server-sent events: the data of each `changed` event',
      role: 'viewer',
      answer: liveChangesSchema,
      mediaType: 'text/event-stream',
    },
  },
  '/sessions': {
    get: { summary: 'Sessions of operators', role: 'viewer', answer: sessionListSchema },
  },
  '/sessions/:id/end': {
    post: {
      summary: 'End a session',
      role: 'viewer',
      body: endSessionRequestSchema,
      status: 204,
    },
  },
  '/accounts': { get: { summary: 'Accounts', role: 'owner', answer: accountListSchema } },
  '/accounts/:name/role': {
    post: {
      summary: 'Change the role of an account',
      role: 'owner',
      body: changeRoleRequestSchema,
      status: 204,
    },
  },
  '/accounts/:name/remove': {
    post: {
      summary: 'Remove an account',
      role: 'owner',
      body: removeAccountRequestSchema,
      status: 204,
    },
  },
  '/users/erase': {
    post: {
      summary: 'Erase what is stored of a user of the platform',
      role: 'owner',
      body: eraseUserRequestSchema,
      answer: eraseUserResultSchema,
    },
  },
  '/installations/:id/actions/:name': {
    post: {
      summary: `Act on an installation: ${actionNameSchema.options.join(', ')}. Some need an owner; 409 says why one was refused`,
      role: 'operator',
      body: z.union(Object.values(actionRequestSchemas)),
      answer: actionResultSchema,
    },
  },
  '/audit': {
    get: {
      summary: 'What operators did, the newest first',
      role: 'viewer',
      query: auditQuerySchema,
      answer: auditListSchema,
    },
  },
  '/runs': {
    get: { summary: 'Runs of the last day', role: 'viewer', answer: runListSchema },
    post: {
      summary: 'Do one action to many installations',
      role: 'operator',
      body: runRequestSchema,
      status: 201,
      answer: runSchema,
    },
  },
  '/runs/:id': {
    get: { summary: 'How far a run is', role: 'viewer', answer: runSchema },
    delete: { summary: 'Stop a run', role: 'operator', answer: runSchema },
  },
  '/hooks': {
    get: {
      summary: 'Parked deliveries of hooks',
      role: 'viewer',
      query: parkedHooksQuerySchema,
      answer: parkedHooksSchema,
    },
  },
  '/refusals': {
    get: {
      summary: 'Refusals that belong to no installation',
      role: 'viewer',
      query: refusalsQuerySchema,
      answer: refusalsSchema,
    },
  },
  '/alerts': {
    get: {
      summary: 'Open and recent alerts, silences, and what became of the newest messages',
      role: 'viewer',
      answer: alertsSchema,
    },
  },
  '/alerts/silences': {
    post: {
      summary: 'Send nothing about a rule for some hours',
      role: 'operator',
      body: silenceRequestSchema,
      status: 204,
    },
  },
  '/alerts/silences/end': {
    post: {
      summary: 'End a silence',
      role: 'operator',
      body: endSilenceRequestSchema,
      status: 204,
    },
  },
  '/alerts/channels/:channel/test': {
    post: {
      summary: 'Send a test message to `webhook` or `mail` now',
      role: 'operator',
      body: alertTestRequestSchema,
      answer: alertTestResultSchema,
    },
  },
  '/keys': {
    get: {
      summary: 'Encryption keys, trust rules, cached signature keys',
      role: 'operator',
      answer: keysSchema,
    },
  },
  '/settings': {
    get: { summary: 'Settings in effect, and versions', role: 'operator', answer: settingsSchema },
  },
  '/shapes': {
    get: {
      summary: 'What the platform sent, without values: formats of its members, counted',
      role: 'viewer',
      answer: shapesSchema,
    },
  },
  '/fleet': {
    get: { summary: 'Exact counts of all installations', role: 'viewer', answer: fleetSchema },
  },
  '/fleet/series': {
    get: {
      summary: 'Counts and rates over time',
      role: 'viewer',
      query: fleetSeriesQuerySchema,
      answer: fleetSeriesSchema,
    },
  },
  '/fleet/rows': {
    get: {
      summary: 'Rows of the list by their ids',
      role: 'viewer',
      query: fleetRowsQuerySchema,
      answer: fleetRowsSchema,
    },
  },
  '/fleet/installations': {
    get: {
      summary: 'A page of the list',
      role: 'viewer',
      query: fleetQuerySchema,
      answer: fleetListSchema,
    },
  },
  '/fleet/installations/:id': {
    get: { summary: 'One installation', role: 'viewer', answer: fleetDetailSchema },
  },
  '/fleet/installations/:id/timeline': {
    get: {
      summary: 'What happened to an installation, the newest first',
      role: 'viewer',
      query: timelineQuerySchema,
      answer: timelineSchema,
    },
  },
  '/fleet/export': {
    get: {
      summary: 'The list as a file of the format `csv` or `json`; here the rows of `json`',
      role: 'viewer',
      query: fleetExportQuerySchema,
      answer: fleetRowsSchema,
    },
  },
  '/openapi.json': { get: { summary: 'This document', role: 'viewer', answer: z.looseObject({}) } },
};

export interface DescribedApi {
  /** Without a slash at its end. */
  adminUrl: string;
  /** The name of the session's cookie. */
  cookieName: string;
  version: string;
}

export function describeAdminApi({ adminUrl, cookieName, version }: DescribedApi) {
  return {
    openapi: '3.1.1',
    info: {
      title: "Dowel: the dashboard's API",
      version,
      description:
        'Sign in first: the answer sets a cookie. Requests that change something need the header `X-Dowel-CSRF: 1`.',
    },
    servers: [{ url: `${adminUrl}/admin/api` }],
    paths: Object.fromEntries(
      Object.entries(routes).map(([path, methods]) => [
        path.replaceAll(/:(\w+)/g, '{$1}'),
        describePath(path, methods),
      ]),
    ),
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: cookieName },
      },
    },
  };
}

function describePath(path: string, methods: Partial<Record<Method, AdminRoute>>) {
  return Object.fromEntries(
    Object.entries(methods).map(([method, route]) => [method, describeRoute(path, method, route)]),
  );
}

function describeRoute(path: string, method: string, route: AdminRoute) {
  const {
    summary,
    role,
    query,
    body,
    status = 200,
    answer,
    mediaType = 'application/json',
  } = route;
  // The stream omits default values; the page's schema adds them.
  const read = mediaType === 'application/json' ? schemaOf : inputOf;
  const content = answer && { content: { [mediaType]: { schema: read(answer) } } };
  const error = {
    description: 'An error',
    content: { 'application/json': { schema: errorSchema } },
  };
  return {
    summary: role ? `${summary}. Needs the role ${role}.` : `${summary}.`,
    security: role ? [{ session: [] }] : [],
    parameters: [
      ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => parameterOf('path', name ?? '', {})),
      ...(query ? describeQuery(query) : []),
      ...(method === 'get' ? [] : [parameterOf('header', 'X-Dowel-CSRF', { const: '1' })]),
    ],
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: inputOf(body) } } },
    }),
    responses: {
      [status]: { description: answer ? 'Done' : 'Done, without a body', ...content },
      ...(path.includes('/actions/') && {
        409: {
          description: 'The action was refused, and why',
          content: { 'application/json': { schema: schemaOf(actionRefusalSchema) } },
        },
      }),
      default: error,
    },
  };
}

function describeQuery(query: z.ZodType) {
  const { properties = {}, required = [] } = inputOf(query) as {
    properties?: Record<string, object>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) =>
    parameterOf('query', name, schema, required.includes(name)),
  );
}

function parameterOf(where: string, name: string, schema: object, required = true) {
  return { name, in: where, required, schema: where === 'path' ? { type: 'string' } : schema };
}

/** What the server sends. */
const schemaOf = (schema: z.ZodType) => describe(schema, 'output');
/** What the server reads: members with a default may be left out. */
const inputOf = (schema: z.ZodType) => describe(schema, 'input');

function describe(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { unrepresentable: 'any', io });
  return described;
}

const errorSchema = schemaOf(apiErrorSchema);
