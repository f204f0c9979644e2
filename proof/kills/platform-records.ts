/** Records of a platform: requests by their secret, events by their answer. */
import type { SeenRequest } from './kill-platform.ts';

export interface AnsweredEvent {
  event: string;
  pluginId: string;
  /** The code of an access_token event. */
  code: string | undefined;
  status: number;
}

export class PlatformRecords {
  readonly answers: AnsweredEvent[] = [];
  readonly requests: SeenRequest[] = [];
  readonly #listeners = new Set<(answer: AnsweredEvent) => void>();

  addRequest(seen: SeenRequest): void {
    this.requests.push(seen);
  }

  addAnswer(form: string, status: number): void {
    const { sub, pluginId, client } = readClaims(form);
    const answer = { event: sub, pluginId, code: client?.authorization_code, status };
    this.answers.push(answer);
    for (const listener of this.#listeners) listener(answer);
  }

  /** The next answer to an event of this plug-in. */
  nextAnswer(event: string, pluginId: string): Promise<AnsweredEvent> {
    return this.next((answer) => answer.event === event && answer.pluginId === pluginId);
  }

  next(isIt: (answer: AnsweredEvent) => boolean): Promise<AnsweredEvent> {
    return new Promise((resolve) => {
      const listener = (answer: AnsweredEvent) => {
        if (!isIt(answer)) return;
        this.#listeners.delete(listener);
        resolve(answer);
      };
      this.#listeners.add(listener);
    });
  }

  answersOf(event: string, pluginId: string): AnsweredEvent[] {
    return this.answers.filter((each) => each.event === event && each.pluginId === pluginId);
  }

  /** The number of presentations of a code or refresh token. */
  countRequests(kind: 'code' | 'refresh', secret: string): number {
    return this.requests.filter((seen) => seen.kind === kind && seen.secret === secret).length;
  }

  countTriggers(pluginId: string): number {
    const isOwn = ({ kind, path }: SeenRequest) => kind === 'trigger' && path.includes(pluginId);
    return this.requests.filter(isOwn).length;
  }
}

interface EventClaims {
  sub: string;
  pluginId: string;
  client?: { authorization_code: string };
}

function readClaims(form: string): EventClaims {
  const [, payload = ''] = new URLSearchParams(form).get('token')?.split('.') ?? [];
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}
