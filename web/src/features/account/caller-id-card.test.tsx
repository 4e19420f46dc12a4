import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { aCallerId, aConfig, SERVICE_NUMBER } from "../../../test/answers.ts";
import { refused } from "../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../test/open-app.tsx";

vi.mock("../../phone/create-phone.ts", () => import("../../../test/phone-in-app.ts"));

const service = withFakeService();

const NUMBER = "+13035551234";
const proven = { number: NUMBER, proven_at: "2026-05-18T09:00:00.000Z", needs_proof: false };
const check = { number: NUMBER, attempts_left: 3, expires_at: "2026-05-18T09:10:00.000Z" };
const card = async () => within(await screen.findByRole("region", { name: "Your caller ID" }));

/** Opens the form and requests a call. */
async function askForCall(typed = NUMBER) {
  const person = await openApp("/account");
  const callerId = await card();
  await person.click(await callerId.findByRole("button", { name: "Add your number" }));
  await person.type(callerId.getByLabelText("Your phone number"), `${typed}{Enter}`);
  return { person, callerId };
}

test("the service's number is shown until the customer verifies their own with the code of a call", async () => {
  service().on("POST /api/calls/caller-id/checks", aCallerId({ check }));
  service().on("POST /api/calls/caller-id/checks/confirm", aCallerId({ shown: NUMBER, numbers: [proven] }));
  const { person, callerId } = await askForCall();
  expect(callerId.getByRole("radio", { name: /Farline’s number/ })).toBeChecked();
  const code = await callerId.findByLabelText("Code from the call");
  expect(code).toHaveFocus();
  expect(code).toHaveAccessibleDescription(/^3 tries left\./);
  await person.type(code, "12 34 56{Enter}");
  expect(await callerId.findByRole("radio", { name: /Confirmed/ })).toBeChecked();
  expect(service().asked("POST /api/calls/caller-id/checks")[0]?.body).toEqual({ phone_number: NUMBER });
  expect(service().asked("POST /api/calls/caller-id/checks/confirm")[0]?.body).toEqual({ number: NUMBER, code: "123456" });
});

describe("a number", () => {
  test.each([
    ["caller_number_refused", "This number cannot be shown. Use an ordinary mobile or landline number."],
    ["caller_number_known", "You have added this number already."],
    ["caller_number_blocked", "This number cannot be added, because someone objected to it. Contact us."],
    ["caller_number_not_open", "Confirm your email address and top up once with $5 or more. Then you can add your number."],
    ["caller_numbers_off", "Calls from here cannot show your own number yet."],
    ["too_many_caller_numbers", "You can have 5 numbers. Remove one before you add another."],
    ["emergency_number", "This service cannot place emergency calls. Use your phone and dial 112."],
    ["account_frozen", "Calls are not possible while your account is locked."],
    ["rate_limited", "Too many calls with a code. Try again in 3 hours."],
    ["destination_paused", "Calls to this destination are paused for now. Try again later."],
    ["voice_provider_down", "We could not call this number. Try again in a moment."],
  ] as const)("that is refused with %s says why, and can be corrected", async (code, text) => {
    service().on("POST /api/calls/caller-id/checks", refused(code, text));
    const { callerId } = await askForCall();
    expect(await callerId.findByText(text)).toBeVisible();
    expect(callerId.getByLabelText("Your phone number")).toHaveValue(NUMBER);
  });

  test("that is invalid shows an error at its field; without one, nothing is sent", async () => {
    const text = "This is not a phone number. Check its digits.";
    service().on("POST /api/calls/caller-id/checks", refused("number_invalid", text, { errors: { phone_number: [text] } }));
    const { person, callerId } = await askForCall("");
    const field = callerId.getByLabelText("Your phone number");
    await waitFor(() => expect(field).toHaveAccessibleDescription(expect.stringContaining("Enter your phone number.")));
    expect(service().asked("POST /api/calls/caller-id/checks")).toEqual([]);
    await person.type(field, "12{Enter}");
    await waitFor(() => expect(field).toHaveAccessibleDescription(expect.stringContaining(text)));
  });

  test("is removed after confirmation", async () => {
    service().on("GET /api/calls/caller-id", aCallerId({ shown: NUMBER, numbers: [proven] }));
    service().on("DELETE /api/calls/caller-id/numbers/:number", aCallerId());
    const person = await openApp("/account");
    const callerId = await card();
    await person.click(await callerId.findByRole("button", { name: /^Remove/ }));
    await person.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Remove" }));
    expect(await screen.findByText("Number removed")).toBeVisible();
    expect(callerId.queryByRole("button", { name: /^Remove/ })).toBeNull();
    expect(service().asked("DELETE /api/calls/caller-id/numbers/:number")).toHaveLength(1);
  });

  test("that has to be verified again cannot be chosen, and is suggested in the form", async () => {
    service().on("GET /api/calls/caller-id", aCallerId({ numbers: [{ ...proven, needs_proof: true }] }));
    const person = await openApp("/account");
    const callerId = await card();
    expect(await callerId.findByRole("radio", { name: /Needs to be confirmed again/ })).toBeDisabled();
    await person.click(callerId.getByRole("button", { name: /^Confirm .* again$/ }));
    expect(callerId.getByLabelText("Your phone number")).toHaveValue(NUMBER);
  });

  test("cannot be added to a list of five", async () => {
    const numbers = [1, 2, 3, 4, 5].map((last) => ({ ...proven, number: `+1303555123${last}` }));
    service().on("GET /api/calls/caller-id", aCallerId({ numbers }));
    await openApp("/account");
    const callerId = await card();
    expect(await callerId.findByText("You can have 5 numbers. Remove one to add another.")).toBeVisible();
    expect(callerId.queryByRole("button", { name: "Add your number" })).toBeNull();
  });
});

describe("a code", () => {
  test("that is wrong shows an error at its field, with the attempts left", async () => {
    const text = "This code is wrong. Check each digit.";
    service().on("GET /api/calls/caller-id", aCallerId({ check }));
    service().on("POST /api/calls/caller-id/checks/confirm", refused("call_code_wrong", text, { errors: { code: [text] } }));
    const person = await openApp("/account");
    const callerId = await card();
    const field = await callerId.findByLabelText("Code from the call");
    service().on("GET /api/calls/caller-id", aCallerId({ check: { ...check, attempts_left: 1 } }));
    await person.type(field, "000000{Enter}");
    await waitFor(() => expect(field).toHaveAccessibleDescription(`1 try left. The code works for 10 minutes. ${text}`));
  });

  test.each([
    ["call_code_expired", "This code can no longer be used. Let us call you again."],
    ["caller_number_taken", "Another account has this number. If it is yours, write to us."],
    ["voice_provider_down", "We could not check the code. Try again in a moment."],
  ] as const)("that is refused with %s says why, and another call can be had", async (code, text) => {
    service().on("GET /api/calls/caller-id", aCallerId({ check }));
    service().on("POST /api/calls/caller-id/checks/confirm", refused(code, text));
    service().on("POST /api/calls/caller-id/checks", aCallerId({ check: { ...check, expires_at: "2026-05-18T09:12:00.000Z" } }));
    const person = await openApp("/account");
    const callerId = await card();
    await person.type(await callerId.findByLabelText("Code from the call"), "000000{Enter}");
    expect(await callerId.findByText(text)).toBeVisible();
    await person.click(callerId.getByRole("button", { name: "Call me again" }));
    await waitFor(() => expect(callerId.queryByText(text)).toBeNull());
    expect(service().asked("POST /api/calls/caller-id/checks")[0]?.body).toEqual({ phone_number: NUMBER });
  });

  test("that has expired keeps its form open, with a button for another call", async () => {
    const text = "This code can no longer be used. Let us call you again.";
    service().on("GET /api/calls/caller-id", aCallerId({ check: { ...check, attempts_left: 1 } }));
    service().on("POST /api/calls/caller-id/checks/confirm", refused("call_code_expired", text));
    const person = await openApp("/account");
    const callerId = await card();
    const field = await callerId.findByLabelText("Code from the call");
    service().on("GET /api/calls/caller-id", aCallerId());
    await person.type(field, "000000{Enter}");
    expect(await callerId.findByText(text)).toBeVisible();
    await waitFor(() => expect(field).not.toHaveAccessibleDescription());
    expect(callerId.getByRole("button", { name: "Call me again" })).toBeEnabled();
  });

  test("can be cancelled; in the sandbox its page plays the call", async () => {
    service().on("GET /api/config", aConfig({ mode: "sandbox", sandbox_url: "http://localhost:3001" }));
    service().on("GET /api/calls/caller-id", aCallerId({ check }));
    const person = await openApp("/account");
    const callerId = await card();
    expect(await callerId.findByRole("link", { name: "Listen to the call here" })).toHaveAttribute(
      "href",
      "http://localhost:3001/#calls",
    );
    await person.click(callerId.getByRole("button", { name: "Cancel" }));
    expect(callerId.getByRole("button", { name: "Add your number" })).toBeVisible();
  });
});

describe("the choice", () => {
  test("is saved at once", async () => {
    service().on("GET /api/calls/caller-id", aCallerId({ numbers: [proven] }));
    service().on("PUT /api/calls/caller-id", aCallerId({ shown: NUMBER, numbers: [proven] }));
    const person = await openApp("/account");
    const callerId = await card();
    await person.click(await callerId.findByRole("radio", { name: /Confirmed/ }));
    await waitFor(() => expect(callerId.getByRole("radio", { name: /Confirmed/ })).toBeChecked());
    expect(service().asked("PUT /api/calls/caller-id")[0]?.body).toEqual({ number: NUMBER });
  });

  test("that fails shows an error, and stays unchanged", async () => {
    service().on("GET /api/calls/caller-id", aCallerId({ numbers: [proven] }));
    service().on("PUT /api/calls/caller-id", refused("not_found", "You have not verified this number."));
    const person = await openApp("/account");
    const callerId = await card();
    await person.click(await callerId.findByRole("radio", { name: /Confirmed/ }));
    expect(await callerId.findByText("You have not verified this number.")).toBeVisible();
    expect(callerId.getByRole("radio", { name: /Farline’s number/ })).toBeChecked();
  });
});

test("the caller ID card can be reloaded after an error", async () => {
  service().on("GET /api/calls/caller-id", refused("unavailable", "Farline isn’t available right now."));
  const person = await openApp("/account");
  const callerId = await card();
  const again = await callerId.findByRole("button", { name: /again/i });
  service().on("GET /api/calls/caller-id", aCallerId());
  await person.click(again);
  expect(await callerId.findByRole("radio", { name: /Farline’s number/ })).toBeChecked();
});

test("the dialer shows which number people see, and links to the choice", async () => {
  service().on("GET /api/calls/caller-id", aCallerId({ shown: NUMBER, numbers: [proven] }));
  const person = await openApp("/dialer");
  const line = await screen.findByRole("link", { name: /^They see \+1/ });
  await person.click(line);
  expect(await (await card()).findByText(/Confirmed/)).toBeVisible();
  expect(SERVICE_NUMBER).not.toBe(NUMBER);
});
