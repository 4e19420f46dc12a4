import { useEffect, useState } from "react";

export type NumberLibrary = typeof import("@farline/domain/phone-number.ts");

let loaded: NumberLibrary | null = null;

/**
 * The numbering plans of the world: a chunk of its own, fetched with the dialer. Null until it is there; the field then
 * takes any text and the service reads the number by the same rules.
 */
export function useNumberLibrary(): NumberLibrary | null {
  const [library, setLibrary] = useState(loaded);
  useEffect(() => {
    let stale = false;
    import("@farline/domain/phone-number.ts")
      .then((module) => {
        loaded = module;
        if (!stale) setLibrary(module);
      })
      .catch(() => undefined);
    return () => {
      stale = true;
    };
  }, []);
  return library;
}
