import { cleanup, render, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, test } from "vitest";
import { Card } from "./card.tsx";

afterEach(cleanup);

const cards = (children: ReactNode) => (
  <>
    <Card title="Saved cards">{children}</Card>
    <button type="button">Elsewhere</button>
  </>
);
const row = (
  <ul>
    <li>
      <button type="button">Remove Visa 4242</button>
    </li>
  </ul>
);
const form = (
  <form>
    <input aria-label="Name" />
  </form>
);

test.each([
  ["a row", row, () => screen.getByRole("button", { name: "Remove Visa 4242" })],
  ["a form", form, () => screen.getByLabelText("Name")],
])("%s that goes with the focus leaves it to the heading of its card", async (_, part, control) => {
  const { rerender } = render(cards(part));
  control().focus();
  rerender(cards(<p>None</p>));
  await waitFor(() => expect(screen.getByRole("heading", { name: "Saved cards" })).toHaveFocus());
});

test("a row that goes takes no focus from elsewhere", async () => {
  const { rerender } = render(cards(row));
  screen.getByRole("button", { name: "Remove Visa 4242" }).focus();
  const elsewhere = screen.getByRole("button", { name: "Elsewhere" });
  elsewhere.focus();
  rerender(cards(<p>None</p>));
  await screen.findByText("None");
  await Promise.resolve();
  expect(elsewhere).toHaveFocus();
});
