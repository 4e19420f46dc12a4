import type Stripe from "stripe";
import { lineItemList } from "../checkout/line-items.ts";
import { findObject, listObjects } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { StripeApiError } from "./stripe-error.ts";
import { kindOf } from "../store/stripe-id.ts";

const MAX_DEPTH = 4; // as Stripe

/**
 * Replaces ids by their objects, for example `payment_intent.latest_charge` of a session.
 * @throws StripeApiError for a property that does not exist or is not an id
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
  await include(tx, object, name);
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

/** Adds a list that its object has only if requested. */
async function include(tx: Tx, object: Record<string, unknown>, name: string): Promise<void> {
  const id = object["id"];
  if (typeof id !== "string" || Object.hasOwn(object, name)) return;
  if (object["object"] === "checkout.session" && name === "line_items") {
    const found = await findObject<unknown>(tx, "checkout.session", id);
    object[name] = lineItemList(id, (found?.hidden as { lineItems?: Stripe.LineItem[] } | undefined)?.lineItems ?? []);
  }
  if (object["object"] === "charge" && name === "refunds") {
    const { rows, hasMore } = await listObjects<unknown>(tx, { type: "refund", limit: 10, equal: { charge: id } });
    object[name] = { object: "list", url: `/v1/charges/${id}/refunds`, has_more: hasMore, data: rows };
  }
}
