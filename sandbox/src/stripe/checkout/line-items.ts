import type Stripe from "stripe";
import { buildPrice, loadPrice } from "../payments/product.ts";
import type { Tx } from "../../database.ts";
import { newId } from "../store/stripe-id.ts";
import { checkTotal, type SessionParams } from "./session-params.ts";

/** A session's items, with stored or inline prices. @throws StripeApiError for an unknown price or an invalid total */
export async function readLineItems(tx: Tx, params: SessionParams, created: number): Promise<Stripe.LineItem[]> {
  const items: Stripe.LineItem[] = [];
  for (const { quantity, price, price_data: data } of params.line_items ?? []) {
    if (price !== undefined) items.push(buildItem(quantity, await loadPrice(tx, price)));
    else if (data) {
      const facts = { currency: data.currency, unitAmount: data.unit_amount, taxBehavior: data.tax_behavior ?? "unspecified" };
      items.push(
        buildItem(quantity, {
          price: buildPrice({ ...facts, product: newId("prod_", 14), created }),
          name: data.product_data.name,
        }),
      );
    }
  }
  if (params.mode === "payment") checkTotal(items);
  return items;
}

export function lineItemList(sessionId: string, data: Stripe.LineItem[]) {
  return { object: "list", url: `/v1/checkout/sessions/${sessionId}/line_items`, has_more: false, data };
}

function buildItem(quantity: number, { price, name }: { price: Stripe.Price; name: string }): Stripe.LineItem {
  const total = quantity * (price.unit_amount ?? 0);
  return {
    id: newId("li_"),
    object: "item",
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: total,
    amount_tax: 0,
    amount_total: total,
    currency: price.currency,
    description: name,
    metadata: {},
    price,
    quantity,
  };
}
