import { expect, test } from "@playwright/test";
import { faultsNow } from "../support/axe.ts";
import { dial, giveTestCredit, logOut, payByCard, signUp, TEST_CARD } from "../support/customer.ts";
import { networkCall } from "../support/phone-network.ts";
import { endCall, startCall, TONE_LINE, watchForViolations } from "../support/screens.ts";

const CARDS = [
  "BEGIN:VCARD\nVERSION:3.0\nN:Mensah;Kwame;;;\nFN:Kwame Mensah\nTEL;TYPE=CELL:+233 20 000 0142\nEND:VCARD",
  `BEGIN:VCARD\nVERSION:3.0\nFN:The test line\nTEL:${TONE_LINE}\nEND:VCARD`,
].join("\n");

/** The dialogs alone; the pages themselves are looked at elsewhere. */
const OPEN_DIALOG = "dialog[open]";

test("the first steps come once, tell four things, and can be skipped", async ({ page, context }) => {
  await signUp(page);
  await page.evaluate(() => localStorage.removeItem("tutorial"));
  const first = await context.newPage();
  await first.goto("/dialer");
  const steps = first.getByRole("dialog");
  await expect(steps).toBeVisible();
  expect(await faultsNow(first, "the first steps", OPEN_DIALOG)).toEqual([]);
  for (const title of ["Top up credits", "Allow microphone access", "Select country code"]) {
    await expect(steps.getByRole("heading", { name: title })).toBeVisible();
    await steps.getByRole("button", { name: "Next" }).click();
  }
  await expect(steps.getByRole("heading", { name: "Enter a number" })).toBeVisible();
  await steps.getByRole("button", { name: "Done" }).click();
  await expect(steps).toBeHidden();

  await first.evaluate(() => localStorage.removeItem("tutorial"));
  await first.reload();
  await expect(steps).toBeVisible();
  await first.keyboard.press("Escape");
  await expect(steps).toBeHidden();
  await first.reload();
  await expect(first.getByRole("button", { name: "Call Now" })).toBeVisible();
  await expect(steps).toBeHidden();
});

test("a number in any form shows its price and the clock there; its extension is sent after the answer and remembered", async ({
  page,
}) => {
  await signUp(page);
  await giveTestCredit(page, 5);
  await page.goto(`/dialer?${new URLSearchParams({ number: "+233200000142", name: "Kwame Mensah" })}`);
  const number = page.getByLabel("Phone number");
  await expect(number).toHaveValue("+233 20 000 0142");
  await expect(page).toHaveURL(/\/dialer$/);
  await expect(page.getByRole("group", { name: "Price of this call" })).toContainText("Ghana");
  await expect(page.getByText(/^It’s \d\d:\d\d there\./)).toBeVisible();

  await page.keyboard.press("Escape");
  await expect(number).toHaveValue("");
  await page.keyboard.type("44");
  await expect(number).toHaveValue("44");
  await number.fill("tel:0044-20 (7946) 0001 ext. 12#");
  await expect(number).toHaveValue(/^00\D*44\D*20\D*7946\D*0001$/);
  await expect(page.getByLabel("Country")).toHaveValue("GB");
  await expect(page.getByLabel("Extension", { exact: true })).toHaveValue(",,12#");
  await number.press("Enter");
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expect(page).toHaveTitle(/^\d\d:\d\d · Connected/);
  await expect.poll(async () => (await networkCall(TONE_LINE))?.digits).toBe("12#");
  await endCall(page);

  await page.reload();
  await number.fill(TONE_LINE);
  await expect(page.getByLabel("Extension", { exact: true })).toHaveValue(",,12#");
  await page.getByRole("button", { name: "Remove the extension" }).click();
  await expect(page.getByLabel("Extension", { exact: true })).toBeHidden();
});

test("contacts of a file on this device are called by name, and gone after logging out", async ({ page }) => {
  await signUp(page);
  await giveTestCredit(page, 5);
  const chooser = page.getByTestId("import-file");
  await chooser.setInputFiles({ name: "people.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
  await expect(page.getByText("Please select a .vcf or .csv file").first()).toBeVisible();
  await chooser.setInputFiles({ name: "nobody.csv", mimeType: "text/csv", buffer: Buffer.from("name,phone\n") });
  await expect(page.getByText("No contacts found in file").first()).toBeVisible();
  await chooser.setInputFiles({ name: "people.vcf", mimeType: "text/vcard", buffer: Buffer.from(CARDS) });
  await expect(page.getByText("Imported 2 contact(s)").first()).toBeVisible();
  await page.reload();
  await page.getByRole("button", { name: /^The test line/ }).click();
  await page.getByRole("button", { name: "Call Now" }).click();
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Call with The test line" })).toBeAttached();
  await endCall(page);
  await expect(page.getByText(/^Call ended\. \d+ s, \$0\.\d{4}\.$/)).toBeVisible();

  await page.getByRole("button", { name: "Call +44 20 7946 0001 again" }).first().click();
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await endCall(page);
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("own:")).length)).toBe(1);
  await logOut(page);
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("own:")))).toEqual([]);
});

test("in the call: pasted digits reach the far end, and a top-up paid in another tab makes the call longer", async ({
  page,
  context,
}) => {
  const violations = watchForViolations(page);
  await signUp(page);
  await giveTestCredit(page, "0.01");
  await startCall(page);
  await expect(page.getByText("1 minute of credit is left. The call will end when it runs out.")).toBeVisible();
  await page.getByRole("button", { name: "Keypad" }).click();
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData("text", "PIN: 47-11 #");
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
  });
  await expect.poll(async () => (await networkCall(TONE_LINE))?.digits).toBe("4711#");

  await page.getByRole("button", { name: "Top Up", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Top up during the call" });
  const opening = context.waitForEvent("page");
  await dialog.getByRole("button", { name: "Pay $5", exact: true }).click();
  const payment = await opening;
  await payByCard(payment, TEST_CARD);
  await expect(payment.getByRole("heading", { name: "Payment Successful" })).toBeVisible();
  await page.bringToFront();
  await expect(dialog.getByText(/^Your call can continue for \d+ more min\.$/).first()).toBeVisible();
  // Only now, because the credit before lasted one minute.
  await dialog.getByRole("button", { name: "Pay again" }).click();
  await expect(dialog.getByRole("button", { name: "Pay $10", exact: true })).toBeVisible();
  expect(await faultsNow(page, "the top-up in a call", OPEN_DIALOG)).toEqual([]);
  await dialog.getByRole("button", { name: "Back to the call" }).click();
  await expect(page.getByText(/^\d+ min left$/)).toBeVisible();
  await endCall(page);
  expect(violations).toEqual([]);
});

test("the sound check hears the microphone, tries the network, and calls itself for nothing", async ({ page }) => {
  await signUp(page);
  await page.getByRole("button", { name: "Sound check" }).click();
  const dialog = page.getByRole("dialog", { name: "Sound check" });
  await expect(dialog.getByText("We hear you.")).toBeVisible();
  await expect(dialog.getByText(/The service answers in \d+ ms\./)).toBeVisible();
  await expect(dialog.getByLabel("Microphone", { exact: true }).locator("option")).not.toHaveCount(1);
  await dialog.getByRole("button", { name: "Start the test call" }).click();
  await expect(dialog.getByText(/The (line is good|sound came back)/)).toBeVisible({ timeout: 30_000 });
  await expect(dialog.getByText("Delay")).toBeVisible();
  expect(await faultsNow(page, "the sound check", OPEN_DIALOG)).toEqual([]);
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(dialog).toBeHidden();
});

test("calling with no number, and with a number that is none, is answered in words", async ({ page }) => {
  await signUp(page);
  await page.getByLabel("Phone number").press("Enter");
  await expect(page.getByText("Please enter a phone number").first()).toBeVisible();
  await dial(page, "1234567");
  await expect(page.getByText("This number is too short or too long. Check it.")).toBeVisible();
});
