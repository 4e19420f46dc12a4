import { useEffect, useState } from "react";
import { leftToRight } from "./left-to-right.ts";

type Write = (e164: string) => string;

const asStored: Write = (e164) => leftToRight(e164);
let loaded: Write | null = null;

async function load(): Promise<Write> {
  try {
    const { formatInternational } = await import("@farline/domain/phone-number.ts");
    loaded = (e164) => leftToRight(formatInternational(e164));
    return loaded;
  } catch {
    return asStored; // The chunk did not arrive: numbers stand as they are stored.
  }
}

/**
 * A way to write numbers with spaces, "+233 20 000 0142". The numbering plans are large and come as a chunk of their
 * own; until it is there, and if it never comes, numbers stand as they are stored.
 */
export function usePhoneText(): Write {
  const [write, setWrite] = useState<Write>(() => loaded ?? asStored);
  useEffect(() => {
    let stale = false;
    void load().then((next) => !stale && setWrite(() => next));
    return () => {
      stale = true;
    };
  }, []);
  return write;
}
