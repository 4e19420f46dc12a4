import { memoryStorage } from "./memory-storage.ts";

/** For tests: `blocked`, the browser blocks site data; `full`, reading and removing work, storing fails; `missing`, there is none. */
export type SpoiltStorage = "blocked" | "full" | "missing";

const AREAS = ["localStorage", "sessionStorage"] as const;

/** Spoils both storages. Returns the function that restores them. */
export function spoilStorage(how: SpoiltStorage): () => void {
  const before = AREAS.map((area) => Object.getOwnPropertyDescriptor(globalThis, area));
  for (const area of AREAS) {
    const own = how === "full" ? (globalThis[area] ?? memoryStorage()) : null;
    Object.defineProperty(globalThis, area, {
      configurable: true,
      get() {
        if (how === "blocked") throw new DOMException("The operation is insecure.", "SecurityError");
        return own === null ? undefined : withoutRoom(own);
      },
    });
  }
  return () => {
    for (const [at, area] of AREAS.entries()) {
      const own = before[at];
      if (own === undefined) Reflect.deleteProperty(globalThis, area);
      else Object.defineProperty(globalThis, area, own);
    }
  };
}

function withoutRoom(storage: Storage): Storage {
  return {
    get length() {
      return storage.length;
    },
    clear: () => storage.clear(),
    getItem: (key) => storage.getItem(key),
    key: (index) => storage.key(index),
    removeItem: (key) => storage.removeItem(key),
    setItem() {
      throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
    },
  };
}
