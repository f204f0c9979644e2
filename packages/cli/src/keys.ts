/** The commands `dowel keys …`. docs/operations.md explains when to use each. */
import { createFirstKey, listKeys, openKeyAdmin } from '@dowel/installation-store';
import { type Command, countOf } from './command.ts';
import { recordKeyAction } from './record-key-action.ts';

export const createKey: Command = {
  summary: 'create the key file, if there is none',
  async run({ settings, say, warn }) {
    const { path } = settings.keyFile;
    if (!(await createFirstKey(settings))) {
      warn(`There is already a key file at ${path}. It was not changed.`);
      return 1;
    }
    const [key] = await listKeys(settings);
    say(
      `Made key ${key?.id} in ${path}. Keep a copy of it, apart from the copies of the database.`,
    );
    return 0;
  },
};

export const rotateKeys: Command = {
  summary:
    'put a new key first: processes seal with it after their next start, the others still open',
  async run({ settings, say }) {
    const admin = await openKeyAdmin(settings);
    try {
      const id = await recordKeyAction(settings, 'rotate-keys', {
        act: () => admin.rotate(),
        describe: (keyId) => ({
          detail: `Key ${keyId} seals after the next start.`,
          meaning: { kind: 'key_active', keyId },
        }),
      });
      say(`Key ${id} seals after the next start. Copy ${settings.keyFile.path} to your backup.`);
      say(
        'Next: restart the processes one after another, then "dowel reencrypt", then "dowel keys prune".',
      );
      return 0;
    } finally {
      await admin.close();
    }
  },
};

export const showKeys: Command = {
  summary: 'list the keys, and how many values each one seals',
  hasJson: true,
  async run({ settings, print, warn }) {
    const keys = await listKeys(settings);
    print({ keys }, () =>
      keys.map(({ id, state, values, isSealing }) => {
        const sealing = isSealing ? ', a process seals with it' : '';
        return `${id}  ${state.padEnd(7)}  ${countOf(values, 'value')}${sealing}`;
      }),
    );
    const { path } = settings.keyFile;
    if (keys.length === 0) {
      warn(`There is no key file at ${path}, and no database that needs one.`);
    }
    const lacks = keys.some(({ state }) => state === 'missing');
    if (lacks) warn(`The database needs keys that ${path} lacks. Add them, one in each line.`);
    return lacks || keys.length === 0 ? 1 : 0;
  },
};

export const pruneKeys: Command = {
  summary: 'remove the old keys that no value is sealed with',
  async run({ settings, say, warn }) {
    const admin = await openKeyAdmin(settings);
    try {
      const { removed, kept } = await recordKeyAction(settings, 'prune-keys', {
        act: admin.prune,
        describe: ({ removed: keyIds }) => ({
          detail: `Removed: ${keyIds.join(', ') || 'none'}.`,
          meaning: { kind: 'keys_removed', keyIds },
        }),
      });
      for (const id of removed) say(`Removed key ${id}: no value is sealed with it.`);
      for (const { id, values, isSealing } of kept) {
        if (isSealing) {
          warn(
            `Key ${id} stays: within the last two minutes a process sealed with it. Restart the processes that started before the rotation, wait two minutes, and run this again.`,
          );
        }
        if (values > 0) {
          warn(
            `Key ${id} stays: it seals ${countOf(values, 'value')}. Run "dowel reencrypt" first.`,
          );
        }
      }
      if (removed.length === 0 && kept.length === 0) say('There is no old key.');
      return kept.length > 0 ? 1 : 0;
    } finally {
      await admin.close();
    }
  },
};
