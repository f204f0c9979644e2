/** Faults that are added to the product from outside. The checks must find each of them. */
import type { Grant, Installation, Store, Stores } from '@dowel/installation-store';
import { livingTokenRule } from './checks/living-tokens.ts';
import type { Mutation } from './history.ts';
import { callPlaces } from './places.ts';

export const mutations: Record<string, Mutation> = {
  'a late refresh overwrites newer tokens': changed(({ grants }) => ({
    grants: {
      ...grants,
      async commitRefresh(refreshed, tokens) {
        const current = await grants.findVersion(refreshed.installationId);
        return grants.commitRefresh(current ?? refreshed, tokens);
      },
    },
  })),

  'tokens in doubt are taken for sure': changed(({ grants }) => ({
    grants: {
      ...grants,
      async load(installationId) {
        const grant = await grants.load(installationId);
        return grant && { ...grant, isInDoubt: false };
      },
      async commitRefresh(...refreshed) {
        const stored = await grants.commitRefresh(...refreshed);
        return stored && { ...stored, isInDoubt: false };
      },
    },
  })),

  'every process gets the lease': changed(({ grants, renewals, installations }) => ({
    renewals: {
      ...renewals,
      async acquire(version, request) {
        const answer = await renewals.acquire(version, request);
        if (answer.outcome !== 'held') return answer;
        const grant = (await grants.load(version.installationId)) as Grant;
        const tenantId = (await installations.get(version.installationId))?.tenantId ?? '';
        const { owner } = request;
        const lease = { ...version, owner, sequence: 0, failures: 0, unanswered: 0 };
        return { outcome: 'acquired', lease, grant, tenantId };
      },
    },
  })),

  'the bucket has no bottom': { policy: { burst: 1_000, refreshIntervalMs: 1 } },

  'an unanswered token is presented without end': { policy: { maxPresentations: 99 } },

  'a refusal is not written down': changed(({ grants }) => ({
    grants: { ...grants, markAwaitingEvent: async (_, reason) => reason },
  })),

  'refreshes go on during an exchange': changed(({ renewals }) => ({
    renewals: {
      ...renewals,
      beginExchange: (installation, intent) => renewals.beginExchange(installation, intent, 0),
    },
  })),

  'every process gets the claim': changed(({ inbox }) => ({
    inbox: {
      ...inbox,
      claim: async () => true,
      extend: async () => true,
      settle: async () => true,
    },
  })),

  'tokens are only said to be stored': changed(({ grants }) => ({
    grants: { ...grants, replace: async () => 'stored' },
  })),

  'tokens of an older event replace those of a newer one': changed(({ grants, installations }) => ({
    grants: {
      ...grants,
      async replace(installation, access, tokens, { iat }) {
        const { appliedIat = null } = (await installations.get(installation.id)) ?? {};
        const order = { iat, newestIat: Number.MAX_SAFE_INTEGER };
        return grants.replace({ ...installation, appliedIat }, access, tokens, order);
      },
    },
    installations: forgettingOrder(installations),
  })),

  'tokens of a life that has ended enter the next one': changed(
    ({ grants, installations, inbox }) => ({
      // Codes are not retired, because the answer to a retired code would undo the fault.
      inbox: { ...inbox, retireCodes: async () => {} },
      grants: {
        ...grants,
        async replace(installation, access, tokens, order) {
          const current = await installations.get(installation.id);
          const iat = Math.max(order.iat, current?.endedIat ?? 0);
          return grants.replace(current ?? installation, access, tokens, { ...order, iat });
        },
      },
    }),
  ),

  'an uninstall is only answered': changed(({ installations }) => ({
    installations: {
      ...installations,
      uninstall: async (key) => (await installations.find(key)) as Installation,
    },
  })),

  'secrets go where another tenant says': changed(({ grants, renewals }) => ({
    grants: {
      ...grants,
      async load(installationId) {
        const grant = await grants.load(installationId);
        return grant && { ...grant, baseUrl: 'https://b.example.com/b/' };
      },
    },
    renewals,
  })),

  'every process sends the trigger': changed(({ renewals }) => ({
    renewals: { ...renewals, claimTrigger: async () => ({ outcome: 'claimed', sent: 0 }) },
  })),

  'nobody knows how to ask for an event': changed(({ renewals }) => ({
    renewals: { ...renewals, loadTrigger: async () => undefined },
  })),

  'nobody heals what nobody calls': changed(({ renewals }) => ({
    renewals: { ...renewals, claimDue: async () => [] },
  })),

  'a call with a living token looks its version up': {
    breaks: livingTokenRule,
    client: (client, store) => ({
      ...client,
      async fetch(installationId, path, init) {
        await store.grants.findVersion(installationId);
        return client.fetch(installationId, path, init);
      },
    }),
  },

  'an answered call looks its version up': {
    breaks: livingTokenRule,
    client: (client, store) => ({
      ...client,
      async fetch(installationId, path, init) {
        const response = await client.fetch(installationId, path, init);
        await store.grants.findVersion(installationId);
        return response;
      },
    }),
  },

  'the tenants of an origin are counted together': {
    breaks: livingTokenRule,
    policy: {
      callPlaces: { places: 4, firstPlaces: 4, maxPlaces: 4, suspectPlaces: 4, newPlaces: 4 },
    },
  },

  'tenants that have not answered take all places': {
    breaks: livingTokenRule,
    policy: { callPlaces: { ...callPlaces, newPlaces: callPlaces.places } },
  },

  'a call gives its place back before its body has ended': {
    breaks: livingTokenRule,
    callFetch:
      (callFetch) =>
      async (input, { onBodyEnd, ...init } = {}) => {
        const response = await callFetch(input, init);
        onBodyEnd?.();
        return response;
      },
  },

  'the token of one tenant drives out that of another': {
    breaks: livingTokenRule,
    policy: { maxGrants: 1 },
  },

  'calls wait longer than their limits': { policy: { callTimeoutMs: 90_000, waitMs: 80_000 } },
};

/** Hides which event's tokens are stored. */
function forgettingOrder(installations: Store['installations']): Store['installations'] {
  return {
    ...installations,
    async find(key) {
      const found = await installations.find(key);
      return found && { ...found, appliedIat: null };
    },
  };
}

/** The same change to the store, and to what its transactions are given. */
function changed(change: (stores: Stores) => Partial<Stores>): Mutation {
  return {
    store: (store: Store): Store => ({
      ...store,
      ...change(store),
      transaction: (work) => store.transaction((stores) => work({ ...stores, ...change(stores) })),
    }),
  };
}
