/** A person's choice on the sandbox's OpenID page. */
export type GoogleChoice =
  | { person: "new" }
  | { person: "cancel" }
  | { person: "typed"; email: string; mailbox: "google" | "elsewhere" | "unverified" };

/**
 * Follows the service's redirect, chooses an identity, and returns.
 * @returns the query of the web app's callback page
 */
export async function visitGoogle(url: string, choice: GoogleChoice): Promise<{ at: string; query: Record<string, string> }> {
  const jar = new Map<string, string>();
  const home = new URL(url).origin;
  const go = async (address: string, fields?: Record<string, string>): Promise<{ at: string; left: boolean }> => {
    const response = await fetch(address, {
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(fields ? { method: "POST", body: new URLSearchParams(fields) } : {}),
    });
    await response.body?.cancel();
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      jar.set(name, value);
    }
    const next = response.headers.get("location");
    if (next === null) return { at: address, left: false };
    const target = new URL(next, address);
    return target.origin === home ? go(target.href) : { at: target.href, left: true };
  };
  const page = await go(url);
  const back = await go(page.at, choice);
  if (!back.left) throw new Error(`The sign-in did not lead back: ${back.at}`);
  const { origin, pathname, searchParams } = new URL(back.at);
  return { at: origin + pathname, query: Object.fromEntries(searchParams) };
}
