/**
 * Delivers an event of the simulated platform: signed with its own clock, to any process, repeated until a
 * 201 arrives; sometimes late, twice, or never.
 */
import type { EventAnswer } from '@dowel/lifecycle';
import { type LifecycleEventName, lifecycleEventSchemas } from '@dowel/schema';
import { checkAnswer } from './checks/event-check.ts';
import type { StoredState } from './checks/stored-state.ts';
import { tokenPath, triggerPath } from './platform.ts';
import type { Processes, Running } from './processes.ts';
import type { Simulation } from './simulation.ts';
import type { Life, Tenant } from './tenant.ts';

export interface DeliveryContext {
  simulation: Simulation;
  processes: Processes;
  state: StoredState;
  /** The time of each tenant's latest uninstall event. */
  uninstalls: Map<Tenant, number>;
  /** The number of planned steps of deliveries. */
  underWay: number;
}

export interface LifecycleEvent {
  tenant: Tenant;
  life: Life;
  name: LifecycleEventName;
  /** Called once. `isAccepted`: a 201 was read in time. */
  onEnd?: (isAccepted: boolean) => void;
}

interface Delivery extends Required<LifecycleEvent> {
  /** Only an access_token event has one. It stays the same when the event is signed again. */
  code: string | undefined;
  attemptsLeft: number;
}

type Payload = ReturnType<typeof sign>;

/** The time in which the platform waits for an answer. */
const answerTimeoutMs = 30_000;

export function sendEvent(context: DeliveryContext, event: LifecycleEvent): void {
  const { random, climate, count } = context.simulation;
  const { maxDelayMs, maxAttempts, repeated } = climate().events;
  const { tenant, life, name, onEnd = () => {} } = event;
  const code = name === 'access_token' ? tenant.createCode(life) : undefined;
  const delivery: Delivery = { tenant, life, name, onEnd, code, attemptsLeft: maxAttempts };
  const signed = sign(context, delivery);
  later(context, random.next() * maxDelayMs, () => deliver(context, delivery, signed));
  if (!random.chance(repeated)) return;
  count('event: repeated');
  const copy: Delivery = { ...delivery, attemptsLeft: 1, onEnd: () => {} };
  later(context, random.next() * 2 * maxDelayMs, () => {
    const isUnchanged = life.state === 'ended' || random.chance(0.5);
    deliver(context, copy, isUnchanged ? signed : sign(context, copy));
  });
}

function sign({ simulation, uninstalls }: DeliveryContext, delivery: Delivery) {
  const { tenant, life, name, code } = delivery;
  const { tenantId, pluginId, origin, baseUrl } = tenant;
  const iat = Math.floor(simulation.now() / 1000);
  if (name === 'uninstall') uninstalls.set(tenant, simulation.now());
  const claims = { iss: origin, iat, exp: iat + 60, sub: name, tenantId, pluginId };
  if (code === undefined) return claims;
  tenant.sign(code, iat);
  return {
    ...claims,
    base_url: baseUrl,
    client: {
      client_id: life.client.clientId,
      client_secret: life.client.clientSecret,
      authorization_code: code,
      token_endpoint_url: tokenPath,
      trigger_event: {
        url: triggerPath,
        method: 'POST',
        body: JSON.stringify({ token: life.client.triggerToken }),
      },
    },
  };
}

function deliver(context: DeliveryContext, delivery: Delivery, payload: Payload): void {
  const running = context.processes.pick();
  if (!running) {
    later(context, 10, () => retry(context, delivery, payload));
    return;
  }
  let isOpen = true;
  const end = (isAccepted: boolean) => {
    if (!isOpen) return;
    isOpen = false;
    stopWaiting();
    if (isAccepted) delivery.onEnd(true);
    else retry(context, delivery, payload);
  };
  const { tenant, name, code } = delivery;
  const what = `${name} ${code ?? ''}`;
  context.simulation.log(tenant.name, `${what} iat ${payload.iat} → ${running.process.name}`);
  const stopWaiting = later(context, answerTimeoutMs, () => end(false));
  running.process.resume(() => post(context, { delivery, payload, running, end }));
}

interface Post {
  delivery: Delivery;
  payload: Payload;
  running: Running;
  end: (isAccepted: boolean) => void;
}

function post(context: DeliveryContext, { delivery, payload, running, end }: Post): void {
  const { random, climate, log } = context.simulation;
  const { process, lifecycle } = running;
  const { name, code } = delivery;
  const what = `${name} ${code ?? ''}`;
  const answered = (answer: EventAnswer) => {
    log(process.name, `${what}: ${answer.status} ${answer.reason ?? ''}`);
    checkAnswer(context, { ...delivery, iat: payload.iat, answer });
    const isLost = random.chance(climate().events.answerLost);
    if (!isLost) later(context, random.between(1, 50), () => end(answer.status === 201));
  };
  const failed = (error: unknown) => {
    log(process.name, `${what} failed: ${String(error)}`);
    later(context, 1, () => end(false));
  };
  lifecycle.accept(lifecycleEventSchemas[name].parse(payload)).then(answered, failed);
}

function retry(context: DeliveryContext, delivery: Delivery, payload: Payload): void {
  const { random } = context.simulation;
  const { tenant, life, name } = delivery;
  delivery.attemptsLeft -= 1;
  if (delivery.attemptsLeft <= 0 || (life.state === 'ended' && name !== 'uninstall')) {
    delivery.onEnd(false);
    return;
  }
  const isUnchanged = tenant.life() !== life || random.chance(0.5);
  const again = isUnchanged ? payload : sign(context, delivery);
  later(context, random.between(200, 6_000), () => deliver(context, delivery, again));
}

/** Returns a function that cancels. */
function later(context: DeliveryContext, delayMs: number, step: () => void): () => void {
  let isWaiting = true;
  const stopWaiting = () => {
    if (isWaiting) context.underWay -= 1;
    isWaiting = false;
  };
  context.underWay += 1;
  const cancel = context.simulation.scheduler.after(delayMs, () => {
    stopWaiting();
    step();
  });
  return () => {
    stopWaiting();
    cancel();
  };
}
