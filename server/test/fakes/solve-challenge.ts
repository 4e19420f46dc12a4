import { hash } from "node:crypto";
import type { ErrorBody } from "@farline/contract/errors.ts";
import type { RobotChallenge, RobotProof } from "@farline/contract/robot-check.ts";
import type { LightMyRequestResponse } from "fastify";

/** Solves a challenge from its description in `contract/src/robot-check.ts` alone. */
export function solveChallenge({ token, proofs, bits }: RobotChallenge): RobotProof {
  const message = Buffer.concat([hash("sha256", token, "buffer"), Buffer.alloc(5)]);
  const counters = Array.from({ length: proofs }, (_, index) => {
    message.writeUInt8(index, 32);
    for (let counter = 0; ; counter++) {
      message.writeUInt32BE(counter, 33);
      if (hash("sha256", message, "buffer").readUInt32BE() >>> (32 - bits) === 0) return counter;
    }
  });
  return { token, counters };
}

/** Sends a request like the web app: if a challenge is returned, solves it and repeats the request with the proof. */
export async function sendWithProof(
  send: (proof?: RobotProof) => Promise<LightMyRequestResponse>,
): Promise<LightMyRequestResponse> {
  const answer = await send();
  const { challenge } = answer.json<ErrorBody>();
  return challenge === undefined ? answer : send(solveChallenge(challenge));
}
