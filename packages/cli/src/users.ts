/** The commands `dowel users …`: the dashboard's accounts. People set their own passwords, by a link. */
import {
  type AuditedAction,
  accountNameSchema,
  type OperatorRole,
  operatorRoleSchema,
} from '@dowel/admin-api';
import {
  type AuditEnding,
  passwordLinkLifetimeMs,
  recordAction,
  type Store,
} from '@dowel/installation-store';
import { findAdminUrl } from './admin-url.ts';
import { type Command, type CommandContext, MisuseError, timeOf } from './command.ts';
import { currentUser } from './current-user.ts';
import { whileOpen } from './while-open.ts';

const roles = operatorRoleSchema.options.join(' | ');

export const addUser: Command = {
  summary: `add an account for the dashboard, and print a link for its password; ROLE is ${roles}`,
  takes: ['NAME', 'ROLE'],
  run: ({ args: [text = '', role = ''], ...context }) =>
    whileOpen(context.settings, async (store) => {
      const account = { name: parseName(text), role: parseRole(role), createdAt: Date.now() };
      const { name } = account;
      const adminUrl = await findAdminUrl(store, context.environment);
      const isAdded = await recordAction(store.audit, {
        entry: { ...currentUser(), action: 'add-account', target: name },
        act: () => store.accounts.addAccount(account),
        endingOf: (isNew) => (isNew ? roleGiven(account.role) : accountExists),
      });
      if (isAdded) {
        context.say(
          `Added ${name} as ${account.role}. Within 72 hours the person sets the password at:`,
        );
        context.say(`${await createLink(store, name, adminUrl)}`);
        return 0;
      }
      context.warn(`There is an account ${name} already. It was not changed.`);
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
              ({ name, role, createdAt, hasPassword }) =>
                `${role.padEnd(8)}  since ${timeOf(createdAt)}  ${name}${hasPassword ? '' : '  (no password yet)'}`,
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

export const linkUserPassword: Command = {
  summary: 'print a link with which a person sets a new password, once, within 72 hours',
  takes: ['NAME'],
  run: ({ args: [text = ''], ...context }) =>
    whileOpen(context.settings, async (store) => {
      const name = parseName(text);
      const adminUrl = await findAdminUrl(store, context.environment);
      const link = await recordAction(store.audit, {
        entry: { ...currentUser(), action: 'create-password-link', target: name },
        act: () => createLink(store, name, adminUrl),
        endingOf: (created) => (created ? { result: 'done', detail: null } : noAccount),
      });
      if (link === undefined) {
        context.warn(`There is no account ${name}.`);
        return 1;
      }
      context.say(link);
      return 0;
    }),
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

/** Undefined: there is no such account. */
async function createLink(
  { accounts }: Store,
  name: string,
  adminUrl: string,
): Promise<string | undefined> {
  const code = await accounts.createPasswordLink(name, Date.now() + passwordLinkLifetimeMs);
  return code && `${adminUrl}/admin/password#code=${code}`;
}

interface Change {
  action: AuditedAction;
  change: (store: Store, name: string) => Promise<boolean>;
  done: string;
  /** The audit entry of a change that was done. Default: without details. */
  ending?: () => AuditEnding;
}

function changeUser(
  { settings, say, warn }: Pick<CommandContext, 'settings' | 'say' | 'warn'>,
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
  const { success, data, error } = accountNameSchema.safeParse(text);
  if (!success) throw new MisuseError(`NAME ${error.issues[0]?.message}`);
  return data;
}

function parseRole(text: string): OperatorRole {
  const { success, data } = operatorRoleSchema.safeParse(text);
  if (!success) throw new MisuseError(`ROLE must be ${roles}`);
  return data;
}
