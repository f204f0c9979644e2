/** oidc-provider's storage in maps; the one it ships forgets the oldest of 1,000 entries. */
import type { Adapter, AdapterPayload } from 'oidc-provider';

export function createMapAdapter(): (model: string) => Adapter {
  const entries = new Map<string, AdapterPayload>();
  const grants = new Map<string, Set<string>>();

  return (model) => {
    const keyOf = (id: string) => `${model}:${id}`;
    const find = async (id: string) => entries.get(keyOf(id));
    return {
      find,
      findByUid: find,
      findByUserCode: find,
      async upsert(id, payload) {
        entries.set(keyOf(id), payload);
        if (payload.grantId === undefined) return;
        const members = grants.get(payload.grantId) ?? new Set();
        grants.set(payload.grantId, members.add(keyOf(id)));
      },
      async consume(id) {
        const payload = entries.get(keyOf(id));
        if (payload) payload.consumed = Math.floor(Date.now() / 1000);
      },
      async destroy(id) {
        entries.delete(keyOf(id));
      },
      async revokeByGrantId(grantId) {
        for (const key of grants.get(grantId) ?? []) entries.delete(key);
        grants.delete(grantId);
      },
    };
  };
}
