import { languages } from "@farline/domain/languages.ts";
import type { Language } from "@farline/contract/languages.ts";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Nodes } from "../nodes/nodes.ts";
import type { NumberChecks } from "../calls/verification/number-checks.ts";
import { forwardToOwner, sendToOtherNodes } from "./forward-command.ts";

const startBody = z.object({
  phone_number: z.string().max(20),
  verification_method: z.literal("call", { error: "must be call: this exchange sends no messages" }),
  /** People behind a switchboard do not own its number. */
  extension: z.undefined({ error: "is not supported: the number itself must be answered" }).optional(),
});
const codeBody = z.object({ verification_code: z.string().regex(/^\d{1,10}$/, "must be digits") });

/** `/v2/verified_numbers`: customers' numbers that calls may show, verified by a call that reads a code. */
export function verifiedNumberRoutes(app: FastifyInstance, { checks, nodes }: { checks: NumberChecks; nodes: Nodes }): void {
  const config = { access: "exchange-key" } as const;
  const ofNumber = {
    config,
    preHandler: forwardToOwner(nodes, ({ params, body }) => nodes.ownerOfNumber(numberIn(params) ?? numberIn(body) ?? "")),
  };
  const path = "/v2/verified_numbers/:number";
  type Params = { Params: { number: string } };

  app.post("/v2/verified_numbers", ofNumber, async (request) => {
    const body = startBody.parse(request.body ?? {});
    checks.start(body.phone_number, spokenLanguage(request.headers["accept-language"]));
    return { data: { phone_number: body.phone_number, verification_method: body.verification_method } };
  });

  app.post<Params>(`${path}/actions/verify`, ofNumber, async (request) => {
    const { number } = request.params;
    const { verification_code: code } = codeBody.parse(request.body ?? {});
    const { provenAt, proof } = checks.confirm(number, code);
    // Our extension: the proof, which a transfer with this caller id must include.
    return { data: { ...recordOf(number), verified_at: provenAt.toISOString(), proof } };
  });

  app.delete<Params>(path, { config }, async (request) => {
    checks.remove(request.params.number);
    await sendToOtherNodes(nodes, request);
    return { data: recordOf(request.params.number) };
  });
}

/** The number in a request, before validation. */
function numberIn(part: unknown): string | null {
  const { number, phone_number: inBody = number } = (part ?? {}) as { number?: unknown; phone_number?: unknown };
  return typeof inBody === "string" ? inBody : null;
}

function recordOf(number: string): Record<string, unknown> {
  return { record_type: "verified_number", phone_number: number };
}

/** The first language of the request if we support it, else English. */
function spokenLanguage(header: string | undefined): Language {
  const wanted = header?.slice(0, 2).toLowerCase();
  return languages.find((one) => one === wanted) ?? "en";
}
