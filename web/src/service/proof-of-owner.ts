/** Asks the user to re-authenticate; rejects if they decline. */
type Ask = () => Promise<void>;

let ask: Ask | null = null;
let asking: Promise<void> | null = null;

/** Registers the re-authentication prompt. Returns the unregister function. */
export function whenProofIsRequired(asker: Ask): () => void {
  ask = asker;
  return () => {
    if (ask === asker) ask = null;
  };
}

/** Asks once for all requests that were refused meanwhile. Resolves to whether the user has proved to be the owner. */
export async function proveOwner(): Promise<boolean> {
  if (ask === null) return false;
  asking ??= ask().finally(() => {
    asking = null;
  });
  await asking;
  return true;
}
