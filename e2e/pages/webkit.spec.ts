import { expect } from "@playwright/test";
import { PASSWORD } from "../support/customer.ts";
import { layoutFaults } from "../support/layout/faults.ts";
import { test, type WebKitWindow } from "../support/webkit.ts";

/** The bar of Debian's browser makes its window no narrower than 447 pixels. */
const SIZES = [
  { width: 450, height: 800 },
  { width: 1440, height: 900 },
];

/** Signs up with the form, and ends on the dialer. Returns the mail address. */
async function register(webkit: WebKitWindow): Promise<string> {
  const email = `webkit-${process.pid}-${Date.now()}@example.com`;
  await webkit.open("/register");
  await webkit.enter("Full Name", "Grace Mensah");
  await webkit.enter("Email", email);
  await webkit.enter("Password", PASSWORD);
  await webkit.enter("Confirm Password", PASSWORD);
  await webkit.press("Create Account");
  await webkit.press("Do it later");
  await webkit.untilAt("/dialer");
  await webkit.field("Phone number");
  await webkit.judged.evaluate(() => localStorage.setItem("tutorial", "done"));
  return email;
}

async function faultsOf(webkit: WebKitWindow, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    await webkit.open(path);
    for (const { width, height } of SIZES) {
      await webkit.resize(width, height);
      found.push(...(await layoutFaults(webkit.judged, path)));
    }
  }
  return found;
}

// One test, because the driver sometimes never starts a second browser after the first has ended.
test("WebKit lays out its pages, and a customer signs up, stays signed in, keeps a contact, signs out and in again", async ({
  webkit,
}) => {
  expect(await faultsOf(webkit, ["/", "/rates", "/rates/ghana", "/help", "/login", "/register", "/operator"])).toEqual([]);

  const email = await register(webkit);
  await webkit.open("/contacts");
  await webkit.press("Add Contact");
  await webkit.enter("First name", "Kofi");
  await webkit.enter("Phone number", "+233200000142");
  await webkit.press("Save");
  await webkit.text("Kofi");
  await webkit.driver.navigate().refresh();
  await webkit.text("Kofi");

  await webkit.press("Logout");
  await webkit.untilAt("/");
  await webkit.driver.navigate().back();
  await webkit.untilAt("/login");

  await webkit.open("/login");
  await webkit.enter("Email", email);
  await webkit.enter("Password", "not the password 42");
  await webkit.press("Sign In");
  await webkit.until(() => document.querySelector("[role=alert]") !== null);
  await (await webkit.field("Password")).clear();
  await webkit.enter("Password", PASSWORD);
  await webkit.press("Sign In");
  await webkit.untilAt("/dialer");

  await webkit.until(() => document.querySelector("[data-shell], [data-placeholder]") === null);
  expect(await faultsOf(webkit, ["/dialer", "/contacts", "/history", "/topup", "/account"])).toEqual([]);

  await webkit.judged.evaluate(() => localStorage.setItem("language", "ar"));
  await webkit.open("/contacts");
  expect(await webkit.judged.evaluate(() => document.documentElement.dir)).toBe("rtl");
  expect(await faultsOf(webkit, ["/contacts", "/topup"])).toEqual([]);
});
