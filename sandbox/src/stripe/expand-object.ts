import { findObject } from "./object.store.ts";
import type { Tx } from "./schema.ts";
import { StripeApiError } from "./stripe-error.ts";
import { kindOf } from "./stripe-id.ts";

const MAX_DEPTH = 4; // as Stripe

/**
 * Puts whole objects in the place of ids, for example `payment_intent.latest_charge` of a session.
 * @throws StripeApiError for a property that does not exist or holds no id.
 */
export async function expandObject(tx: Tx, object: unknown, paths: readonly string[] | undefined): Promise<void> {
  for (const path of paths ?? []) {
    const names = path.split(".");
    if (names.length > MAX_DEPTH)
      throw new StripeApiError(400, `You cannot expand more than ${MAX_DEPTH} levels of a property.`, { param: "expand" });
    await expandPath(tx, object as Record<string, unknown>, names, path);
  }
}

async function expandPath(tx: Tx, object: Record<string, unknown>, names: readonly string[], path: string): Promise<void> {
  const [name = "", ...rest] = names;
  if (name === "data" && Array.isArray(object["data"])) {
    for (const entry of object["data"]) await expandPath(tx, entry as Record<string, unknown>, rest, path);
    return;
  }
  if (!Object.hasOwn(object, name))
    throw new StripeApiError(400, `This property cannot be expanded (${path}).`, {
      code: "property_not_expandable",
      param: "expand",
    });
  const value = object[name];
  if (typeof value === "string") {
    const kind = kindOf(value);
    const found = kind === null ? null : await findObject<Record<string, unknown>>(tx, kind, value);
    if (!found) throw new StripeApiError(400, `This property cannot be expanded (${path}).`, { param: "expand" });
    object[name] = found.data;
  }
  const next = object[name];
  if (rest.length > 0 && next !== null && typeof next === "object")
    await expandPath(tx, next as Record<string, unknown>, rest, path);
}
