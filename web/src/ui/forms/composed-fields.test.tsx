import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { aCallQuote, aConfig } from "../../../test/answers.ts";
import { compose } from "../../../test/compose.ts";
import { openApp, withFakeService } from "../../../test/open-app.tsx";

vi.mock("../../phone/create-phone.ts", () => import("../../../test/phone-in-app.ts"));

const service = withFakeService();

async function britishField(): Promise<HTMLElement> {
  const person = await openApp("/dialer");
  const country = await screen.findByLabelText("Country");
  await within(country).findByRole("option", { name: /United Kingdom/ });
  await person.selectOptions(country, "GB");
  return screen.findByLabelText("Phone number");
}

describe("the dialer's number field", () => {
  test.each([
    ["digit by digit, full-width", ["０", "０２", "０２０", "０２０７", "０２０７９４６００１８"]],
    ["half-width", ["0", "02", "02079460018"]],
  ])("takes a number composed %s once", async (_, texts) => {
    service().on("POST /api/calls/quote", aCallQuote());
    const field = await britishField();
    compose(field, ...texts);
    await waitFor(() => expect(field).toHaveValue("020 7946 0018"));
  });

  test("takes digits that are each composed and committed, once", async () => {
    service().on("POST /api/calls/quote", aCallQuote());
    const field = await britishField();
    for (const digit of "02079460018") compose(field, digit);
    await waitFor(() => expect(field).toHaveValue("020 7946 0018"));
  });

  test("leaves Enter, Escape and the arrows to the input method", async () => {
    await openApp("/dialer");
    const field = await screen.findByLabelText("Phone number");
    fireEvent.compositionStart(field);
    fireEvent.input(field, { target: { value: "भारत" } });
    for (const key of ["Enter", "Escape", "ArrowDown", "Backspace"]) fireEvent.keyDown(field, { key, isComposing: true });
    expect(field).toHaveValue("भारत");
    fireEvent.compositionEnd(field);
    fireEvent.keyDown(field, { key: "Enter", keyCode: 229 });
    expect(field).toHaveValue("भारत");
  });

  test.each([
    ["Ansprechpartnerin Frau Schmidt-Hollaender: Tel. +49 30 9018 43210", "+4930901843210"],
    ["Reception of the Golden Tulip hotel in Accra, phone +233 20 000 0142", "+233200000142"],
  ])("takes the whole of %s", async (text, e164) => {
    service().on("POST /api/calls/quote", aCallQuote());
    const person = await openApp("/dialer");
    await person.click(await screen.findByLabelText("Phone number"));
    await person.paste(text);
    await waitFor(() =>
      expect(service().asked("POST /api/calls/quote").at(-1)?.body).toMatchObject({ destination_number: e164 }),
    );
  });

  test("takes the whole text of a link", async () => {
    service().on("POST /api/calls/quote", aCallQuote());
    const number = "Ansprechpartnerin Frau Schmidt-Hollaender: Tel. +49 30 9018 43210";
    await openApp(`/dialer?${new URLSearchParams({ number })}`);
    await waitFor(() =>
      expect(service().asked("POST /api/calls/quote").at(-1)?.body).toMatchObject({ destination_number: "+4930901843210" }),
    );
  });

  test("refuses a link's text that is too long for a number instead of cutting it", async () => {
    const number = `${"Golden Tulip, ".repeat(8)}+233 20 000 0142`;
    const person = await openApp(`/dialer?${new URLSearchParams({ number })}`);
    await waitFor(() => expect(screen.getByLabelText("Phone number")).not.toHaveValue(""));
    await person.click(screen.getByRole("button", { name: "Call Now" }));
    expect(await screen.findByText("This is not a phone number. Check it.")).toBeVisible();
    expect(service().asked("POST /api/calls/quote")).toEqual([]);
  });

  test("refuses what is too long for a number instead of cutting it", async () => {
    const person = await openApp("/dialer");
    await person.click(await screen.findByLabelText("Phone number"));
    await person.paste(`${"a word ".repeat(15)} +49 30 9018 43210`);
    await person.click(screen.getByRole("button", { name: "Call Now" }));
    expect(await screen.findByText("This is not a phone number. Check it.")).toBeVisible();
    expect(service().asked("POST /api/calls/quote")).toEqual([]);
  });
});

test.each([
  ["５", "5"],
  ["２５", "25"],
])("a composed amount of %s dollars is %s", async (typed, amount) => {
  service().on("GET /api/config", aConfig());
  const person = await openApp("/topup");
  const field = await screen.findByLabelText("Or another amount");
  await person.clear(field);
  compose(field, ...[...typed].map((_, index, all) => all.slice(0, index + 1).join("")));
  expect(field).toHaveValue(amount);
});
