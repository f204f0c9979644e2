/**
 * The platform's side of lifecycle events: signed with its own clock, delivered to any process, again
 * when no 201 comes back, late, twice, or never. A failed installation is followed by an uninstall
 * (Spec §3).
 */

import type { EventAnswer } from '@dowel/lifecycle';
import { type LifecycleEventName, lifecycleEventSchemas } from '@dowel/schema';
import type { StoredState } from './checks/stored-state.ts';
import { tokenPath, triggerPath } from './platform.ts';
import type { Processes } from './processes.ts';
import type { Simulation } from './simulation.ts';
import type { Life, Tenant } from './tenant.ts';

interface Sending {
  tenant: Tenant;
  life: Life;
  name: LifecycleEventName;
  /** Of an access_token event; a re-signed one carries the same. */
  code: string | undefined;
  attempts: number;
  /** Told once: whether a 201 was read in time. */
  onEnd: (isAccepted: boolean) => void;
}

export type Events = ReturnType<typeof createEvents>;

/** What the platform waits for an answer. */
const patienceMs = 30_000;

export function createEvents(simulation: Simulation, processes: Processes, state: StoredState) {
  const { scheduler, random, climate, now, count, tell, violate } = simulation;
  /** When an uninstall was signed last: an event of the same second may be of either life. */
  const uninstalls = new Map<Tenant, number>();
  let underWay = 0;

  /** Returns the way to cancel. */
  function later(delayMs: number, step: () => void): () => void {
    let isWaiting = true;
    const arrive = () => {
      if (isWaiting) underWay -= 1;
      isWaiting = false;
    };
    underWay += 1;
    const cancel = scheduler.after(delayMs, () => {
      arrive();
      step();
    });
    return () => {
      arrive();
      cancel();
    };
  }

  function send(
    tenant: Tenant,
    life: Life,
    name: LifecycleEventName,
    onEnd: Sending['onEnd'] = () => {},
  ): void {
    const { maxDelayMs, maxAttempts, repeated } = climate().events;
    const code = name === 'access_token' ? tenant.createCode(life) : undefined;
    const sending = { tenant, life, name, code, attempts: maxAttempts, onEnd };
    const signed = sign(sending);
    later(random.next() * maxDelayMs, () => deliver(sending, signed));
    if (!random.chance(repeated)) return;
    count('event: repeated');
    const copy = { ...sending, attempts: 1, onEnd: () => {} };
    later(random.next() * 2 * maxDelayMs, () =>
      deliver(copy, life.state === 'ended' || random.chance(0.5) ? signed : sign(copy)),
    );
  }

  const seconds = () => Math.floor(now() / 1000);

  function sign({ tenant, life, name, code }: Sending) {
    const { tenantId, pluginId, origin } = tenant;
    const iat = seconds();
    if (name === 'uninstall') uninstalls.set(tenant, now());
    const claims = { iss: origin, iat, exp: iat + 60, sub: name, tenantId, pluginId };
    if (code === undefined) return claims;
    tenant.sign(code, iat);
    return {
      ...claims,
      base_url: `${origin}/`,
      client: {
        client_id: life.clientId,
        client_secret: life.clientSecret,
        authorization_code: code,
        token_endpoint_url: tokenPath,
        trigger_event: {
          url: triggerPath,
          method: 'POST',
          body: JSON.stringify({ token: life.triggerToken }),
        },
      },
    };
  }

  function deliver(sending: Sending, payload: { iat: number }): void {
    const { tenant, name, code } = sending;
    const running = processes.pick();
    if (!running) {
      later(10, () => retry(sending, payload));
      return;
    }
    let isOpen = true;
    const end = (isAccepted: boolean) => {
      if (!isOpen) return;
      isOpen = false;
      stopWaiting();
      if (isAccepted) sending.onEnd(true);
      else retry(sending, payload);
    };
    const { process, lifecycle } = running;
    const event = lifecycleEventSchemas[name].parse(payload);
    tell(tenant.name, `${name} ${code ?? ''} iat ${payload.iat} → ${process.name}`);
    const stopWaiting = later(patienceMs, () => end(false));
    process.resume(() => {
      lifecycle.accept(event).then(
        (answer) => {
          tell(process.name, `${name} ${code ?? ''}: ${answer.status} ${answer.reason ?? ''}`);
          countAnswer(answer);
          checkCustody(sending, answer);
          checkFarewell(sending, payload, answer);
          const isLost = random.chance(climate().events.answerLost);
          if (!isLost) later(random.between(1, 50), () => end(answer.status === 201));
        },
        (error: unknown) => {
          tell(process.name, `${name} ${code ?? ''} failed: ${String(error)}`);
          later(1, () => end(false));
        },
      );
    });
  }

  function retry(sending: Sending, payload: { iat: number }): void {
    sending.attempts -= 1;
    if (sending.attempts <= 0 || (sending.life.state === 'ended' && sending.name !== 'uninstall')) {
      sending.onEnd(false);
      return;
    }
    const isPast = sending.tenant.life() !== sending.life;
    const again = isPast || random.chance(0.5) ? payload : sign(sending);
    later(random.between(200, 6_000), () => deliver(sending, again));
  }

  /** A 201 stands for tokens that are stored: of this event, or of a later one. */
  function checkCustody({ tenant, code }: Sending, { status }: EventAnswer): void {
    if (code === undefined || status !== 201 || state.isStored(code)) return;
    const first = tenant.iatOf(code)?.first ?? Number.POSITIVE_INFINITY;
    if (!state.isStoredSince(tenant, first)) violate('no 201 without stored tokens', code);
  }

  function checkFarewell({ tenant, name }: Sending, { iat }: { iat: number }, answer: EventAnswer) {
    if (name !== 'uninstall' || answer.status !== 201) return;
    if (state.isUnseen(tenant)) count('uninstalled before it was known');
    if (state.isOver(tenant, iat)) return;
    violate('an accepted uninstall ends the life', tenant.name);
  }

  function countAnswer({ status, reason }: EventAnswer): void {
    if (status === 201 && reason === 'superseded') count('event: superseded');
    if (reason === 'after_uninstall') count('event: after uninstall');
    if (reason === 'exchange_failed') count('event: exchange failed in passing');
    if (reason === 'exchange_rejected') count('event: exchange refused');
    if (reason === 'in_progress') count('event: joined another process');
  }

  function fail(tenant: Tenant, life: Life): void {
    if (life.state !== 'installing') return;
    count('installation failed');
    end(tenant, life);
  }

  function end(tenant: Tenant, life: Life): void {
    tell(tenant.name, 'is uninstalled');
    tenant.end();
    send(tenant, life, 'uninstall');
  }

  return {
    /** Installs the plug-in in this tenant, unless it is. */
    install(tenant: Tenant): void {
      const before = tenant.life();
      if (before && (before.state !== 'ended' || now() < (uninstalls.get(tenant) ?? 0) + 2_000))
        return;
      if (before) count('installed again');
      const life = tenant.begin();
      tell(tenant.name, `installs the plug-in, life ${life.number}`);
      send(tenant, life, 'install', (isInstalled) => {
        if (!isInstalled) return fail(tenant, life);
        send(tenant, life, 'access_token', (hasTokens) => {
          if (!hasTokens) fail(tenant, life);
          else if (life.state === 'installing') life.state = 'installed';
        });
      });
    },

    uninstall(tenant: Tenant): void {
      const life = tenant.life();
      if (life?.state !== 'installed') return;
      count('uninstalled');
      end(tenant, life);
    },

    /** A trigger was taken. */
    triggered(tenant: Tenant): void {
      const life = tenant.life();
      if (life && !random.chance(climate().events.lost)) send(tenant, life, 'access_token');
    },

    /** Nobody asked for it. */
    sendUnasked(tenant: Tenant): void {
      const life = tenant.life();
      if (life?.state !== 'installed') return;
      count('event: unsolicited');
      send(tenant, life, 'access_token');
    },

    isQuiet: () => underWay === 0,
  };
}
