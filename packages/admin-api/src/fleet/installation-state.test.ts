import { describe, expect, test } from 'vitest';
import {
  type ConditionFacts,
  causeNameOf,
  conditionSchema,
  groupOf,
  installationStateSchema,
  stateEndsAt,
  stateOf,
  stateRules,
} from './installation-state.ts';

const now = 1_000_000;
const facts = (changes: Partial<ConditionFacts>): ConditionFacts => ({
  condition: 'healthy',
  tokenExpiresAt: now + 1,
  beganAt: now,
  ...changes,
});

describe('the state of an installation', () => {
  test.each<[Partial<ConditionFacts>, string, string]>([
    [{}, 'active', 'working'],
    [{ tokenExpiresAt: null }, 'active', 'working'],
    [{ tokenExpiresAt: now }, 'idle', 'working'],
    [{ condition: 'expiring' }, 'expiring', 'risk'],
    [{ condition: 'expiring', tokenExpiresAt: now }, 'ran_out', 'risk'],
    [{ condition: 'failing' }, 'failing', 'risk'],
    [{ condition: 'failing', tokenExpiresAt: now }, 'unreachable', 'broken'],
    [{ condition: 'calls_failing' }, 'calls_failing', 'broken'],
    [{ condition: 'awaiting', tokenExpiresAt: now + 1 }, 'awaiting', 'broken'],
    [{ condition: 'pending', beganAt: now - 119_999 }, 'pending', 'pending'],
    [{ condition: 'pending', beganAt: now - 120_000 }, 'no_tokens', 'broken'],
    [{ condition: 'refused' }, 'install_refused', 'broken'],
    [{ condition: 'paused' }, 'paused', 'paused'],
    [{ condition: 'uninstalled' }, 'uninstalled', 'uninstalled'],
  ])('%o is %s, in the group %s', (changes, state, group) => {
    const found = stateOf(facts(changes), now);

    expect([found, groupOf(found)]).toEqual([state, group]);
  });

  test.each(conditionSchema.options)('%s has one state at every time', (condition) => {
    const rules = Object.values(stateRules).filter((rule) => rule.condition === condition);

    const [first, second] = rules.map(({ clock }) => clock);
    expect(rules).toHaveLength(first ? 2 : 1);
    if (first) expect(second).toEqual({ ...first, isPast: !first.isPast });
  });

  test('a broken one without a cause has a name among the causes, and no other one has', () => {
    const named = installationStateSchema.options.filter((state) => causeNameOf(null, state));

    expect(named.map((state) => [state, causeNameOf(null, state)])).toEqual([
      ['unreachable', 'unreachable'],
      ['calls_failing', 'other'],
      ['awaiting', 'other'],
      ['no_tokens', 'no_tokens'],
      ['install_refused', 'other'],
    ]);
    expect(causeNameOf('scope_missing', 'pending')).toBe('scope_missing');
  });

  test('it ends by itself at the end of the token, or of the time for the first tokens', () => {
    expect(stateEndsAt(facts({ condition: 'failing' }), now)).toBe(now + 1);
    expect(stateEndsAt(facts({ condition: 'pending' }), now)).toBe(now + 120_000);
    expect(stateEndsAt(facts({ tokenExpiresAt: null }), now)).toBeNull();
    expect(stateEndsAt(facts({ tokenExpiresAt: now }), now)).toBeNull();
    expect(stateEndsAt(facts({ condition: 'awaiting' }), now)).toBeNull();
  });
});
