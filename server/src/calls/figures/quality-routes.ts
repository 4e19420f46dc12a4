import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { listSender } from "../../platform/http/list-sender.ts";
import type { PublishedQuality } from "./quality-report.ts";

/** `GET /api/quality`, public. */
export function qualityRoutes(app: App, quality: Pick<PublishedQuality, "latest">): void {
  const send = listSender();
  serve(app, "GET /api/quality", async (request, reply) => {
    const report = await quality.latest();
    return send(request, reply, { version: report.made_at ?? "none", content: () => report });
  });
}
