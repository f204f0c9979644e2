/** The commands `dowel users …`: the dashboard's accounts. A password is never an argument. */
import { type AuditedAction, type OperatorRole, operatorRoleSchema } from '@dowel/admin-api';
import {
  type AuditEnding,
  findPasswordProblem,
  hashPassword,
  recordAction,
  type Store,
} from '@dowel/installation-store';
import { type Command, MisuseError, timeOf } from './command.ts';
import { currentUser } from './current-user.ts';
import { whileOpen } from './while-open.ts';

const roles = operatorRoleSchema.options.join(' | ');

export const addUser: Command = {
  summary: `add an account for the dashboard; ROLE is ${roles}`,
  takes: ['NAME', 'ROLE'],
  run: ({ settings, args: [name = '', role = ''], say, warn, readPassword }) =>
    whileOpen(settings, async ({ accounts, audit }) => {
      const account = { name: parseName(name), role: parseRole(role), createdAt: Date.now() };
      const passwordHash = await hashPassword(parsePassword(await readPassword()));
      const isAdded = await recordAction(audit, {
        entry: { ...currentUser(), action: 'add-account', target: account.name },
        act: () => accounts.addAccount(account, passwordHash),
        endingOf: (isNew) => (isNew ? roleGiven(account.role) : accountExists),
      });
      if (isAdded) {
        say(`Added ${account.name} as ${account.role}.`);
        return 0;
      }
      warn(`There is an account ${account.name} already. It was not changed.`);
      return 1;
    }),
};

export const listUsers: Command = {
  summary: 'list the accounts and their roles',
  hasJson: true,
  run: ({ settings, print }) =>
    whileOpen(settings, async ({ accounts }) => {
      const all = await accounts.listAccounts();
      print({ accounts: all }, () =>
        all.length === 0
          ? ['There is no account.']
          : all.map(
              ({ name, role, createdAt }) =>
                `${role.padEnd(8)}  since ${timeOf(createdAt)}  ${name}`,
            ),
      );
      return 0;
    }),
};

export const changeUserRole: Command = {
  summary: 'change the role of an account, and end its sessions',
  takes: ['NAME', 'ROLE'],
  async run({ args: [name = '', text = ''], ...context }) {
    const role = parseRole(text);
    return changeUser(context, name, {
      action: 'change-role',
      change: ({ accounts }, account) => accounts.changeRole(account, role),
      done: `is ${role} from now on`,
      ending: () => roleGiven(role),
    });
  },
};

export const changeUserPassword: Command = {
  summary: 'change the password of an account, and end its sessions',
  takes: ['NAME'],
  async run({ args: [name = ''], readPassword, ...context }) {
    const passwordHash = await hashPassword(parsePassword(await readPassword()));
    return changeUser(context, name, {
      action: 'change-password',
      change: ({ accounts }, account) => accounts.changePassword(account, passwordHash),
      done: 'has another password',
    });
  },
};

export const removeUser: Command = {
  summary: 'remove an account, and end its sessions',
  takes: ['NAME'],
  run: ({ args: [name = ''], ...context }) =>
    changeUser(context, name, {
      action: 'remove-account',
      change: ({ accounts }, account) => accounts.removeAccount(account),
      done: 'is removed',
    }),
};

interface Change {
  action: AuditedAction;
  change: (store: Store, name: string) => Promise<boolean>;
  done: string;
  /** The audit entry of a change that was done. Default: without details. */
  ending?: () => AuditEnding;
}

function changeUser(
  { settings, say, warn }: Pick<Parameters<Command['run']>[0], 'settings' | 'say' | 'warn'>,
  text: string,
  { action, change, done, ending = () => ({ result: 'done', detail: null }) }: Change,
): Promise<number> {
  return whileOpen(settings, async (store) => {
    const name = parseName(text);
    const isDone = await recordAction(store.audit, {
      entry: { ...currentUser(), action, target: name },
      act: () => change(store, name),
      endingOf: (isChanged) => (isChanged ? ending() : noAccount),
    });
    if (!isDone) {
      warn(`There is no account ${name}.`);
      return 1;
    }
    say(`${name} ${done}. The sessions of this account have ended.`);
    return 0;
  });
}

function roleGiven(role: OperatorRole): AuditEnding {
  return { result: 'done', detail: `The role is ${role}.`, meaning: { kind: 'role_given', role } };
}

const accountExists: AuditEnding = {
  result: 'refused',
  detail: 'This account already exists.',
  meaning: { kind: 'account_exists' },
};
const noAccount: AuditEnding = {
  result: 'refused',
  detail: 'There is no such account.',
  meaning: { kind: 'no_account' },
};

function parseName(text: string): string {
  const name = text.toLowerCase();
  if (!/^[a-z0-9][a-z0-9._@+-]{0,63}$/.test(name)) {
    throw new MisuseError(
      'NAME must have at most 64 letters of a to z, digits, dots, hyphens, _, @ and +, such as ada@example.com',
    );
  }
  return name;
}

function parseRole(text: string): OperatorRole {
  const { success, data } = operatorRoleSchema.safeParse(text);
  if (!success) throw new MisuseError(`ROLE must be ${roles}`);
  return data;
}

function parsePassword(password: string): string {
  const problem = findPasswordProblem(password);
  if (problem) throw new SyntaxError(problem);
  return password;
}
