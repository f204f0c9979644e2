import { openKeyAdmin } from '@dowel/installation-store';
import { type Command, countOf } from './command.ts';
import { recordKeyAction } from './record-key-action.ts';

const progressEveryMs = 1_000;

export const reencrypt: Command = {
  summary:
    'seal all values with the first key while processes run; may be killed and started again',
  async run({ settings, say, warn }) {
    const admin = await openKeyAdmin(settings);
    let toldAt = performance.now();
    try {
      const { activeKeyId, resealed, unreadable } = await recordKeyAction(settings, 'reencrypt', {
        act: () =>
          admin.reencrypt({
            onProgress({ resealed, total }) {
              if (performance.now() - toldAt < progressEveryMs) return;
              toldAt = performance.now();
              say(`${resealed.toLocaleString('en')} of ${countOf(total, 'value')}`);
            },
          }),
        describe: ({ resealed: count, activeKeyId: keyId }) => ({
          detail: `Sealed ${countOf(count, 'value')} with key ${keyId}.`,
          meaning: { kind: 'resealed', count, keyId },
        }),
      });
      say(`Sealed ${countOf(resealed, 'value')} with key ${activeKeyId}.`);
      for (const { installationId, column, reason } of unreadable) {
        const owner = installationId === null ? 'A session' : `Installation ${installationId}`;
        warn(`${owner}, ${column}: not changed, ${reason}.`);
      }
      if (unreadable.length === 0) return 0;
      warn(
        'An installation whose values cannot be read needs a new access_token event, or another install.',
      );
      return 1;
    } finally {
      await admin.close();
    }
  },
};
