import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { PhoneNetwork } from "./phone-network.ts";
import { carrierNumbers } from "./carrier-numbers.ts";
import { testNumbers } from "./test-numbers.ts";

const query = z.strictObject({
  number: z
    .string()
    .regex(/^[+ ]?\d{3,18}$/)
    .transform((text) => `+${text.replace(/^[+ ]/, "")}`) // an unescaped + arrives as a space
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).default(20),
});

/** The phone network's calls and test numbers as JSON, and recordings of what called phones heard. */
export function phoneNetworkRoutes(app: FastifyInstance, network: PhoneNetwork): void {
  app.get("/phone-network/calls", { config: { access: "development" } }, async (request, reply) => {
    const wanted = query.safeParse(request.query);
    if (!wanted.success) return reply.status(422).send({ message: "Use number (E.164) and limit (1 to 200)." });
    return { sipPort: network.sipPort, live: network.liveCalls, calls: network.calls(wanted.data) };
  });
  app.get<{ Params: { id: string } }>(
    "/phone-network/calls/:id/recording.wav",
    { config: { access: "development" } },
    async (request, reply) => {
      const recording = network.recording(request.params.id);
      if (recording === null) return reply.status(404).send({ message: "This call has no recording, or it has been deleted." });
      return reply.type("audio/wav").header("cache-control", "no-store").send(recording);
    },
  );
  app.get("/phone-network/numbers", { config: { access: "development" } }, async () => ({
    numbers: [...testNumbers, ...carrierNumbers].map(({ number, title, description }) => ({ number, title, description })),
  }));
}
