import { expect, type Page } from "@playwright/test";
import { sessionHeaders, signUp } from "./customer.ts";
import { poll } from "./poll.ts";

interface Mail {
  readonly id: number;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** Every mail that the product sent to an address, from the sandbox's mailbox. */
async function mailsTo(address: string): Promise<readonly Mail[]> {
  const answer = await fetch(`${process.env["PRODUCT_SANDBOX_URL"]}/mailbox/messages?to=${encodeURIComponent(address)}`);
  expect(answer.ok).toBe(true);
  return ((await answer.json()) as { messages: Mail[] }).messages;
}

/** Waits for a mail to this address with this subject and returns its link: an address of the product with a token. */
export async function linkMailedTo(address: string, subject: string): Promise<string> {
  let link: string | undefined;
  await poll(async () => {
    const mail = (await mailsTo(address)).find((one) => one.subject === subject);
    link = /https?:\/\/\S+#t=\S+/.exec(mail?.text ?? "")?.[0];
    return link;
  }).toBeDefined();
  return link ?? "";
}

/** Waits for the mail that asks to confirm this address, and returns its code. */
export async function codeMailedTo(address: string): Promise<string> {
  let code: string | undefined;
  await poll(async () => {
    const mail = (await mailsTo(address)).find((one) => one.subject === "Confirm your email address");
    code = /Your code is (\d{6})\./.exec(mail?.text ?? "")?.[1];
    return code;
  }).toBeDefined();
  return code ?? "";
}

/** Waits for a mail to this address with this subject. */
export async function expectMailTo(address: string, subject: string): Promise<void> {
  await poll(async () => (await mailsTo(address)).map((one) => one.subject)).toContain(subject);
}

/** Opens the link in a mail with this subject, and presses the page's button, which alone uses it. */
export async function useLinkMailedTo(page: Page, address: string, mail: { subject: string; button: string }): Promise<void> {
  await page.goto(await linkMailedTo(address, mail.subject));
  await page.getByRole("button", { name: mail.button }).click();
}

/** Confirms a customer's address in this browser. */
export async function confirmAddress(page: Page, email: string): Promise<void> {
  await useLinkMailedTo(page, email, { subject: "Confirm your email address", button: "Confirm my address" });
  await expect(page.getByRole("heading", { name: "Email confirmed" })).toBeVisible();
}

/** Signs up a new customer and confirms the mail address, which it returns, with the request of the mail's page. The page has its own test. */
export async function signUpConfirmed(page: Page): Promise<string> {
  const email = await signUp(page);
  const link = new URL(await linkMailedTo(email, "Confirm your email address"));
  const answer = await page.request.post(`${link.origin}/api/email/verify`, {
    data: { token: link.hash.slice("#t=".length) },
    headers: await sessionHeaders(page),
  });
  expect(await answer.json()).toMatchObject({ status: "verified" });
  return email;
}
