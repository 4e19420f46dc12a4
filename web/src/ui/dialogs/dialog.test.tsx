import { cleanup, fireEvent, render, screen } from "@testing-library/react";
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

test("giving up the choice of a file leaves the dialog around it open, Escape closes it", () => {
  const onClose = vi.fn<() => void>();
  render(
    <Dialog open title="Import contacts" onClose={onClose}>
      <input aria-label="File" type="file" />
    </Dialog>,
  );
  fireEvent(screen.getByLabelText("File"), new Event("cancel", { bubbles: true }));
  expect(onClose).not.toHaveBeenCalled();
  fireEvent(screen.getByRole("dialog"), new Event("cancel", { cancelable: true }));
  expect(onClose).toHaveBeenCalledOnce();
});

test("text selected past the dialog's edge leaves it open, a press on the backdrop closes it", () => {
  const onClose = vi.fn<() => void>();
  render(
    <Dialog open title="New contact" onClose={onClose}>
      <input aria-label="First name" />
    </Dialog>,
  );
  const dialog = screen.getByRole("dialog");
  // A press that ends elsewhere clicks what both places are in.
  fireEvent.pointerDown(screen.getByLabelText("First name"));
  fireEvent.click(dialog);
  expect(onClose).not.toHaveBeenCalled();
  fireEvent.pointerDown(dialog);
  fireEvent.click(dialog);
  expect(onClose).toHaveBeenCalledOnce();
});

test("a dialog that does not close while it works opens again where the browser closes it without a question", () => {
  const reopened = vi.spyOn(HTMLDialogElement.prototype, "showModal");
  render(
    <Dialog open title="Remove the card" onClose={() => undefined}>
      <p>Visa 4242</p>
    </Dialog>,
  );
  reopened.mockClear();
  const dialog = screen.getByRole<HTMLDialogElement>("dialog");
  dialog.close();
  expect(reopened).toHaveBeenCalledOnce();
  vi.restoreAllMocks();
});
