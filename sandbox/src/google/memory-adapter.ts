import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";

const MAX_RECORDS = 5_000;

interface Entry {
  readonly payload: AdapterPayload;
  readonly expiresAt: number;
}

/** Stores the provider's codes, sessions and grants in memory and evicts the oldest. A restart aborts sign-ins in progress. */
export function memoryAdapter(now: () => number): AdapterFactory {
  const records = new Map<string, Entry>();
  const live = (key: string): AdapterPayload | undefined => {
    const entry = records.get(key);
    if (entry === undefined || entry.expiresAt > now()) return entry?.payload;
    records.delete(key);
    return undefined;
  };
  const findBy = (prefix: string, matches: (payload: AdapterPayload) => boolean): AdapterPayload | undefined => {
    for (const key of records.keys()) {
      const payload = key.startsWith(prefix) ? live(key) : undefined;
      if (payload !== undefined && matches(payload)) return payload;
    }
    return undefined;
  };
  return (model): Adapter => ({
    async upsert(id, payload, expiresInSeconds) {
      const key = `${model}:${id}`;
      records.delete(key);
      records.set(key, { payload, expiresAt: expiresInSeconds === undefined ? Infinity : now() + expiresInSeconds * 1000 });
      const [oldest] = records.keys();
      if (records.size > MAX_RECORDS && oldest !== undefined) records.delete(oldest);
    },
    find: async (id) => live(`${model}:${id}`),
    findByUid: async (uid) => findBy(`${model}:`, (payload) => payload.uid === uid),
    findByUserCode: async (userCode) => findBy(`${model}:`, (payload) => payload.userCode === userCode),
    async consume(id) {
      const payload = live(`${model}:${id}`);
      if (payload !== undefined) payload.consumed = Math.floor(now() / 1000);
    },
    async destroy(id) {
      records.delete(`${model}:${id}`);
    },
    async revokeByGrantId(grantId) {
      for (const [key, entry] of records) if (entry.payload.grantId === grantId) records.delete(key);
    },
  });
}
