/** Alerts from the rule to real receivers, on both databases and by several processes. */
import { usualDatabases } from '@dowel/installation-store/testing';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { AlertsContext } from './alerts-context.ts';
import { checkAlerts } from './check-alerts.ts';
import { deliverAlerts, drainAlerts } from './deliver-alerts.ts';
import {
  type MailReceiver,
  startMailReceiver,
  startWebhookReceiver,
  type WebhookReceiver,
} from './testing/alert-receivers.ts';
import {
  type AlertWorld,
  evaluateAndSend,
  openAlert,
  startAlertWorld,
} from './testing/alert-world.ts';

const minuteMs = 60_000;

let world: AlertWorld;
let webhook: WebhookReceiver;
let mail: MailReceiver;

const types = () => webhook.received.map(({ message }) => message.type);
const titles = () => webhook.received.map(({ message }) => message.data.title);
const readLast = async () => (await world.store.alerts.report()).channels[0]?.last;
const openOne = (process: AlertsContext) => openAlert(world, process);

for (const kind of usualDatabases) {
  describe.skipIf(!kind.isAvailable)(`alerts on ${kind.name}`, () => {
    beforeEach(async () => {
      world = await startAlertWorld(kind);
      webhook = await startWebhookReceiver();
      mail = await startMailReceiver();
      return async () => {
        await world[Symbol.asyncDispose]();
        await webhook[Symbol.asyncDispose]();
        await mail[Symbol.asyncDispose]();
      };
    });

    test('broken for longer than the limit is one alert with the count, the worst and what to do', async () => {
      const process = await world.startProcess({ webhook: webhook.settings });
      for (let index = 0; index < 7; index += 1) await world.break(await world.install());
      await evaluateAndSend(world, [process]);
      expect(types()).toEqual(['alert.opened']);
      expect(titles()).toEqual([expect.stringContaining('7 of 7 installations are broken')]);

      await world.wait(15 * minuteMs);
      await evaluateAndSend(world, [process]);

      const { message, isSigned } = webhook.received.at(-1) ?? {};
      expect(isSigned).toBe(true);
      expect(message?.data).toMatchObject({
        rule: 'broken_for',
        title: '7 installations have been broken for more than 15 min',
        count: 7,
        url: 'https://plugin.example.com/polls/admin/installations?group=broken',
        plugin: 'Lunch menu',
      });
      expect(message?.data.worst).toHaveLength(5);
      expect(message?.data.worst[0]).toMatchObject({
        name: 'tenant-1.example.com',
        detail: 'invalid_grant',
      });
      expect(message?.text).toContain('… and 2 more.');
      expect(message?.text).toContain('What happens next: Dowel tries each token endpoint again');
      expect(message?.text).toContain('What you can do: Look at the causes.');
    });

    test('a rule that cannot be evaluated stops no other', async () => {
      const process = await world.startProcess({ webhook: webhook.settings });
      vi.spyOn(process.store.samples, 'readSeries').mockRejectedValue(
        new Error('The read took too long'),
      );

      await openOne(process);

      await expect.poll(types, { timeout: 120_000 }).toEqual(['alert.opened']);
      vi.restoreAllMocks();
    });

    test('two processes tell once, and a recovery once', async () => {
      const processes = [
        await world.startProcess({ webhook: webhook.settings, mail: mail.settings }),
        await world.startProcess({ webhook: webhook.settings, mail: mail.settings }),
      ];
      const id = await world.install('Acme');
      await world.break(id);
      await world.wait(15 * minuteMs);
      await evaluateAndSend(world, processes, 4);
      expect(titles()).toEqual(['Acme has been broken for more than 15 min']);

      await world.repair(id);
      await evaluateAndSend(world, processes, 14);

      expect(types()).toEqual(['alert.opened', 'alert.recovered']);
      expect(webhook.received[1]?.message.data.alertId).toBe(
        webhook.received[0]?.message.data.alertId,
      );
      expect(mail.mails.map((each) => /^Subject: (.*)/m.exec(each)?.[1])).toEqual([
        '[Dowel] Acme has been broken for more than 15 min',
        '[Dowel] Recovered: Acme has been broken for more than 15 min',
      ]);
    });

    test('a stop waits for an evaluation under way, which looks at no more rules', async () => {
      const process = await world.startProcess({ webhook: webhook.settings });
      const gate = Promise.withResolvers<boolean>();
      vi.spyOn(process.store, 'takeTurn').mockReturnValueOnce(gate.promise);
      const evaluated = vi.spyOn(process.store, 'transaction');
      void checkAlerts(process);
      let isStopped = false;

      const stopped = drainAlerts(process, minuteMs).then(() => {
        isStopped = true;
      });
      // To ask the database takes longer than to stop what does nothing.
      await process.store.alerts.report();
      expect(isStopped).toBe(false);

      gate.resolve(true);
      await stopped;
      expect([process.checking, evaluated.mock.calls, world.logs]).toEqual([undefined, [], []]);
    });

    test('an evaluation that outlasts a stop, and loses its database, is no failure in the log', async () => {
      const process = await world.startProcess({ webhook: webhook.settings });
      const gate = Promise.withResolvers<boolean>();
      vi.spyOn(process.store, 'takeTurn').mockReturnValueOnce(gate.promise);
      const checked = checkAlerts(process);
      await drainAlerts(process, 0);

      gate.reject(new Error('The database is closed'));
      await checked;

      expect(world.logs).toEqual([]);
    });

    test('a process that dies between commit and sending leaves it to another one, with the same id', async () => {
      const dead = await world.startProcess({ webhook: webhook.settings });
      const heir = await world.startProcess({ webhook: webhook.settings });
      dead.channels = dead.channels.map((channel) => ({
        ...channel,
        send: () => new Promise(() => {}),
      }));
      await openOne(dead);
      await expect.poll(async () => (await readLast())?.attempts, { timeout: 120_000 }).toBe(1);
      dead.sending.clear();
      expect(await deliverAlerts(heir)).toBe(0);

      await world.wait(minuteMs);
      await deliverAlerts(heir);

      expect(webhook.received).toMatchObject([{ id: (await readLast())?.id, isSigned: true }]);
      expect(await readLast()).toMatchObject({ state: 'delivered', attempts: 2 });
    });
  });
}
