import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { signUp, topUp } from "../support/customer.ts";
import { networkCall } from "../support/phone-network.ts";
import { codeHeard } from "../support/spoken-code.ts";
import { poll } from "../support/poll.ts";

const OWN_NUMBER = "+442079460711";
const CALLED = "+442079460002";
const sandbox = process.env["PRODUCT_SANDBOX_URL"] ?? "";

/** The sound that the number received on its newest call, as a WAV file. */
async function recording(number: string): Promise<Buffer> {
  const call = await networkCall(number, sandbox);
  const answer = await fetch(`${sandbox}/phone-network/calls/${call?.id ?? ""}/recording.wav`);
  return answer.ok ? Buffer.from(await answer.arrayBuffer()) : Buffer.alloc(0);
}

test(
  "a customer's number is verified by the code spoken to its phone, and the next call shows it",
  { tag: "@full" },
  async ({ page }) => {
    await signUp(page);
    await topUp(page, 5);
    await page.goto("/account");
    const card = page.getByRole("region", { name: "Your caller ID" });
    await card.getByRole("button", { name: "Add your number" }).click();
    await card.getByLabel("Your phone number").fill(OWN_NUMBER);
    await card.getByRole("button", { name: "Call me now" }).click();
    await expect(card.getByText("Answer, and enter the code you hear.")).toBeVisible();
    let code: string | null = null;
    await expect.poll(async () => (code = codeHeard(await recording(OWN_NUMBER))), { intervals: [1_000] }).not.toBeNull();
    await card.getByLabel("Code from the call").fill(code ?? "");
    await card.getByRole("button", { name: "Confirm" }).click();
    await expect(card.getByRole("radio", { name: OWN_NUMBER.slice(-4) })).toBeChecked();

    await page.goto("/dialer");
    await expect(page.getByRole("link", { name: /^They see .*0711$/ })).toBeVisible();
    await page.getByLabel("Phone number").fill(CALLED);
    await page.getByRole("button", { name: "Call Now" }).click();
    await poll(async () => (await networkCall(CALLED, sandbox))?.state).toBe("answered");
    expect((await networkCall(CALLED, sandbox))?.from).toBe(OWN_NUMBER);
    await page.getByRole("button", { name: /Hang Up/i }).click();
  },
);
