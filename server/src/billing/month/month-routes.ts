import type { ServiceContext } from "../../context.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { readMonth, readProviderReport } from "./close-month.ts";
import { monthCsv } from "./month-csv.ts";
import { readBooks } from "./read-books.ts";

/** `/api/operator/months`: the books of a month. */
export function monthRoutes(app: App, ctx: ServiceContext): void {
  serve(app, "GET /api/operator/months/:month", ({ params }) => readMonth(ctx, params.month));

  serve(app, "GET /api/operator/months/:month/provider", ({ params }) => readProviderReport(ctx, params.month));

  serve(app, "POST /api/operator/months/:month/file", async ({ params: { month } }) => {
    const books = await readBooks(ctx, month);
    return { file_name: `farline-month-${month}.csv`, text: monthCsv(books, await readProviderReport(ctx, month)) };
  });
}
