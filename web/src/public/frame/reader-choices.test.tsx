import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { ReaderChoices } from "./reader-choices.tsx";

const language = () => screen.getByRole("combobox", { name: "language" });

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.restoreAllMocks();
});

test("a language is listed in its own name, remembered for pages and app, and the page is rendered in it", async () => {
  const reload = vi.spyOn(window.location, "reload").mockImplementation(() => undefined);
  render(<ReaderChoices language="en" size={null} />);
  expect(language()).toHaveValue("en");
  await userEvent.selectOptions(language(), "Français");
  expect(localStorage.getItem("language")).toBe("fr");
  expect(document.cookie).toContain("language=fr");
  expect(reload).toHaveBeenCalledOnce();
});

test("a text size is applied at once, and remembered for pages and app", async () => {
  render(<ReaderChoices language="en" size="large" />);
  const size = screen.getByRole("combobox", { name: "textSize.label" });
  expect(size).toHaveValue("large");
  await userEvent.selectOptions(size, "largest");
  expect(document.documentElement).toHaveAttribute("data-text-size", "largest");
  expect(document.cookie).toContain("text-size=largest");
  await userEvent.selectOptions(size, "usual");
  expect(document.documentElement).not.toHaveAttribute("data-text-size");
});
