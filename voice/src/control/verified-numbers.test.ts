import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { trunkTo } from "../../test/sip-bench.ts";
import { testExchange, type TestExchange } from "../../test/test-exchange.ts";

const number = "+13035550100";
const wanted = { phone_number: number, verification_method: "call" } as const;

let bench: TestExchange;
beforeEach(async () => {
  bench = await testExchange({ config: { trunks: [trunkTo(9, { customerNumbers: "from_and_asserted" })] } });
});
afterEach(() => bench.close());

/** Starts a verification and answers its call. @returns the code */
async function heardCode(): Promise<string> {
  expect(await bench.telnyx.verifiedNumbers.create(wanted, { headers: { "accept-language": "fr" } })).toMatchObject({
    data: { phone_number: number, verification_method: "call" },
  });
  await expect.poll(() => bench.network.calls.length).toBe(1);
  bench.network.last.answer();
  await expect.poll(() => bench.media.announcements[0]?.code ?? null).not.toBeNull();
  expect(bench.media.announcements[0]?.language).toBe("fr");
  return bench.media.announcements[0]?.code ?? "";
}

describe("verified numbers", () => {
  test("are verified with the official client, and shown by a transfer with the proof", async () => {
    const code = await heardCode();
    const { data } = await bench.telnyx.verifiedNumbers.actions.submitVerificationCode(number, { verification_code: code });
    expect(data).toMatchObject({ phone_number: number, record_type: "verified_number", verified_at: expect.any(String) });
    const browser = await bench.browser();
    await browser.invite(randomUUID(), "offer-sdp");
    const { params } = await browser.next("ringing");
    const id = String(params?.["telnyx_call_control_id"]);
    const order = { to: "+442079460000", from: number, time_limit_secs: 60 };
    await expect(bench.telnyx.calls.actions.transfer(id, order)).rejects.toMatchObject({ status: 422 });
    await bench.telnyx.calls.actions.transfer(id, { ...order, from_proof: (data as { proof?: string }).proof } as typeof order);
    await expect.poll(() => bench.network.last.request).toMatchObject({ to: order.to, from: number });
  });

  test("get the provider's errors for a wrong code, no pending call, and an invalid number or method", async () => {
    const verified = bench.telnyx.verifiedNumbers;
    const submit = (code: string) => verified.actions.submitVerificationCode(number, { verification_code: code });
    await expect(submit("123456")).rejects.toMatchObject({ status: 404 });
    const code = await heardCode();
    await expect(submit(code === "000000" ? "000001" : "000000")).rejects.toMatchObject({ status: 422 });
    await expect(verified.create(wanted)).rejects.toMatchObject({ status: 429 });
    await expect(verified.create({ ...wanted, phone_number: "+19005550100" })).rejects.toMatchObject({ status: 422 });
    await expect(verified.create({ ...wanted, verification_method: "sms" })).rejects.toMatchObject({ status: 422 });
    await expect(verified.create({ ...wanted, extension: "12" })).rejects.toMatchObject({ status: 422 });
    await verified.delete(number);
    await expect(submit(code)).rejects.toMatchObject({ status: 404 });
  });

  test("are refused if no trunk may show them", async () => {
    const other = await testExchange();
    await expect(other.telnyx.verifiedNumbers.create(wanted)).rejects.toMatchObject({ status: 403 });
    await other.close();
  });
});
