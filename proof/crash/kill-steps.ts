/** The steps at which a process is killed. */

export interface KillStep {
  step: string;
  points: readonly string[];
  /** The engine on which `npm test` tries it; `npm run test:all` tries every step on both. */
  always?: 'SQLite' | 'PostgreSQL';
}

/** Some kinds of database need fewer statements and do not reach the last steps. */
const mostStatements = 16;

/** `npm run test:all`: every step on every engine. */
export const runsAll = process.env.DOWEL_TESTS === 'all';

/** One step for each statement of a transaction, or for one in the middle. */
function insideTransaction(before: readonly string[], middle: number): KillStep[] {
  const every = Array.from({ length: mostStatements }, (_, index) => index + 1);
  return (runsAll ? every : [middle]).map((count) => ({
    step: `inside the transaction, after statement ${count}`,
    points: [...before, 'after begin', ...Array<string>(count).fill('after write inside')],
  }));
}

/** The steps that this run tries on a kind of database. */
export function stepsOn<Step extends KillStep>(engine: string, steps: readonly Step[]): Step[] {
  return steps.filter(({ always }) => runsAll || always === engine);
}

const event = 'request /lifecycle/access_token';

/** The expected presentations of the code when the event is delivered again, and the answer to the event. */
export interface ExchangeStep extends KillStep {
  presented: number;
  answer: 201 | 400;
}

const unsent = { presented: 1, answer: 201 } as const;
/** The code was spent and its tokens are lost: it is presented once more, and refused. */
const lost = { presented: 2, answer: 400 } as const;
const stored = { presented: 1, answer: 201 } as const;

const sqlite = { always: 'SQLite' } as const;
const postgres = { always: 'PostgreSQL' } as const;

export const exchangeSteps: ExchangeStep[] = [
  { step: 'before the claim', points: [event, 'before begin'], ...unsent },
  { step: 'after the claim', points: [event, 'after commit'], ...unsent },
  {
    step: 'after the intent, before the request',
    points: [event, 'send code'],
    ...unsent,
  },
  { step: 'after the code was spent', points: [event, 'answered code'], ...lost, ...sqlite },
  {
    step: 'after the answer was read',
    points: [event, 'read code', 'before begin'],
    ...lost,
  },
  ...insideTransaction([event, 'read code'], 4).map((step) => ({ ...step, ...lost })),
  {
    step: 'right before the commit',
    points: [event, 'read code', 'before commit'],
    ...lost,
  },
  { step: 'after the commit', points: [event, 'read code', 'after commit'], ...stored },
  { step: 'before the 201 is written', points: [`answer ${pathOf(event)}`], ...stored },
  {
    step: 'while the 201 is written',
    points: [`half an answer ${pathOf(event)}`],
    ...stored,
  },
];

/** The expected number of presentations of the refresh token, and of requests for a new event. */
export interface RefreshStep extends KillStep {
  presented: number;
  triggers: number;
}

const unspent = { presented: 1, triggers: 0 };
const spent = { presented: 2, triggers: 1 };

export const refreshSteps: RefreshStep[] = [
  { step: 'before the lease', points: ['before update grants'], ...unspent },
  { step: 'after the lease', points: ['after update grants'], ...unspent },
  { step: 'before the request', points: ['send refresh'], ...unspent },
  { step: 'after the token was spent', points: ['answered refresh'], ...spent, ...postgres },
  { step: 'after the answer was read', points: ['read refresh', 'before begin'], ...spent },
  ...insideTransaction(['read refresh'], 2).map((step) => ({ ...step, ...spent })),
  { step: 'right before the commit', points: ['read refresh', 'before commit'], ...spent },
  { step: 'after the commit', points: ['read refresh', 'after commit'], ...unspent },
];

export const triggerSteps: KillStep[] = [
  { step: 'after the claim, before it is sent', points: ['send trigger'], ...sqlite },
  { step: 'after it was sent', points: ['answered trigger'] },
  {
    step: 'after it was recorded',
    points: ['answered trigger', 'after insert into token_operations'],
  },
];

const uninstall = 'request /lifecycle/uninstall';

export const uninstallSteps: KillStep[] = [
  { step: 'before the transaction', points: [uninstall, 'before begin'] },
  ...insideTransaction([uninstall], 4),
  { step: 'right before the commit', points: [uninstall, 'before commit'] },
  // SQLite's file may still contain deleted data: the next start must overwrite it (row K8).
  { step: 'after the commit', points: [uninstall, 'after commit'], ...sqlite },
  { step: 'before the 201 is written', points: [`answer ${pathOf(uninstall)}`] },
  { step: 'while the 201 is written', points: [`half an answer ${pathOf(uninstall)}`] },
];

const placement = 'request /lifecycle/instance_add';

/** Steps in the event's transaction: the change and the delivery of its hook are written together, or neither. */
export const outboxSteps: KillStep[] = [
  {
    step: 'after the hook delivery was written',
    points: [placement, 'after insert into hook_deliveries'],
    ...sqlite,
  },
  ...insideTransaction([placement], 2),
  { step: 'right before the commit', points: [placement, 'before commit'] },
  { step: 'after the commit', points: [placement, 'after commit'] },
  { step: 'before the 201 is written', points: [`answer ${pathOf(placement)}`] },
];

/** Steps in the delivery: between the count of the attempt and the record of its end. */
export const deliverySteps: KillStep[] = [
  {
    step: 'before the hook runs',
    points: [placement, 'after update hook_deliveries', 'after commit'],
  },
  {
    step: 'after the hook ran',
    points: [placement, 'after update hook_deliveries', 'before update hook_deliveries'],
    ...postgres,
  },
  {
    step: 'before the end is committed',
    points: [
      placement,
      'after update hook_deliveries',
      'after update hook_deliveries',
      'before commit',
    ],
  },
];

const message = 'after insert into alert_messages';

/** Steps from the opening of an alert to the receipt of its message. */
export const alertSteps: KillStep[] = [
  { step: 'before the message is written', points: ['before insert into alert_messages'] },
  { step: 'right before the commit', points: [message, 'before commit'] },
  { step: 'after the commit', points: [message, 'after commit'] },
  { step: 'after the claim', points: [message, 'after update alert_messages', 'after commit'] },
  { step: 'before it is sent', points: [message, 'send other request'] },
  {
    step: 'after its receiver took it',
    points: [message, 'answered other request'],
    ...sqlite,
  },
];

function pathOf(request: string): string {
  return request.replace('request ', '');
}
