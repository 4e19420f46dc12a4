import {
  callerCheckRequest,
  callerChoiceRequest,
  callerCodeRequest,
  type CallerIdResponse,
} from "@farline/contract/caller-id.ts";
import { z } from "zod";
import { customerOf, perCustomer, requestOrigin } from "../../accounts/accounts.ts";
import type { App } from "../../platform/http/http.ts";
import { memoryRateLimit } from "../../platform/http/rate-limit.ts";
import type { CallContext } from "../call-context.ts";
import { createCallWithCode } from "./call-with-code.ts";
import { chooseCallerId, removeCallerNumber } from "./change-caller-id.ts";
import { createConfirmCode } from "./confirm-code.ts";
import { readCallerId } from "./read-caller-id.ts";

const CHANGES_PER_MINUTE = 30;
const params = z.object({ number: z.string().max(100) });

/** Routes to prove, choose and remove the numbers that a customer's calls show. */
export function callerIdRoutes(app: App, context: CallContext): void {
  const callWithCode = createCallWithCode(context);
  const confirm = createConfirmCode(context);
  const changes = memoryRateLimit({
    name: "caller-id",
    points: CHANGES_PER_MINUTE,
    perSeconds: 60,
    scale: context.config.limitsScale,
  });
  const config = { access: "customer" } as const;
  const onRequest = perCustomer(changes);

  app.get("/api/calls/caller-id", { config }, async (request): Promise<CallerIdResponse> =>
    readCallerId(context, customerOf(request)),
  );

  app.put(
    "/api/calls/caller-id",
    { config, onRequest, schema: { body: callerChoiceRequest } },
    async (request): Promise<CallerIdResponse> => chooseCallerId(context, customerOf(request), request.body.number),
  );

  app.post(
    "/api/calls/caller-id/checks",
    { config, onRequest, schema: { body: callerCheckRequest } },
    async (request, reply): Promise<CallerIdResponse> => {
      const answer = await callWithCode(customerOf(request), request.body, request.ip);
      void reply.status(201);
      return answer;
    },
  );

  app.post(
    "/api/calls/caller-id/checks/confirm",
    { config, onRequest, schema: { body: callerCodeRequest } },
    async (request): Promise<CallerIdResponse> => confirm(customerOf(request), request.body, requestOrigin(request)),
  );

  app.delete(
    "/api/calls/caller-id/numbers/:number",
    { config, onRequest, schema: { params } },
    async (request): Promise<CallerIdResponse> =>
      removeCallerNumber(context, customerOf(request), request.params.number, requestOrigin(request)),
  );
}
