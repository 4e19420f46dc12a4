import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Dialog } from "./dialog.tsx";

afterEach(cleanup);

test("a dialog without fields begins on its title, so that a key held down presses nothing", () => {
  render(
    <Dialog open title="Top up during the call" onClose={() => undefined}>
      <button type="button">Pay $5</button>
    </Dialog>,
  );
  expect(screen.getByRole("heading", { name: "Top up during the call" })).toHaveFocus();
});

test("a dialog leaves the focus in the field where it begins", () => {
  render(
    <Dialog open title="New contact" onClose={() => undefined}>
      {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- as a browser focuses the first field of a dialog */}
      <input aria-label="First name" autoFocus />
    </Dialog>,
  );
  expect(screen.getByLabelText("First name")).toHaveFocus();
});

test("a dialog that is taken away while it is open closes first, because only then the browser gives the focus back", () => {
  const closed: boolean[] = [];
  vi.spyOn(HTMLDialogElement.prototype, "close").mockImplementation(function close(this: HTMLDialogElement) {
    closed.push(this.isConnected);
  });
  render(
    <Dialog open title="New contact" onClose={() => undefined}>
      <p>Kwame Mensah</p>
    </Dialog>,
  ).unmount();
  expect(closed).toEqual([true]);
  vi.restoreAllMocks();
});
