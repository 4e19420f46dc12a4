import { IconCopy } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { saveFile } from "../../browser/save-file.ts";
import { messageOf } from "../../service/http.ts";
import { usePhoneText } from "../../text/phone-text.ts";
import { serviceNow } from "../../time/clock.ts";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icon.tsx";
import { toast } from "../../ui/messages/toast.ts";
import * as styles from "../console.module.css";
import { timeText, utcText } from "./texts.ts";

interface WhenProps {
  /** ISO 8601 */
  readonly at: string;
  /** The clock alone where the day stands above it; `short`: the clock for today, the day for others. */
  readonly show?: "all" | "clock" | "short";
  readonly className?: string | undefined;
}

/** A time on the console's clock, with UTC under the pointer. */
export function When({ at, show = "all", className }: WhenProps) {
  const text = timeText(at);
  const today = dayOf(new Date(serviceNow()).toISOString());
  return (
    <time className={classNames("fig", className)} dateTime={at} title={utcText(at)}>
      {show === "all" ? text : show === "short" && dayOf(at) !== today ? dayOf(at) : clockOf(text)}
    </time>
  );
}

const INSTANT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A sentence with times in it: each instant in ISO 8601 is written as `When` writes it. */
export function Times({ text }: { readonly text: string }) {
  const parts = text.split(INSTANT);
  if (parts.length === 1) return text;
  // Split by a pattern with one group: the instants stand at odd places. A browser's translation replaces text nodes.
  return parts.map((part, place) =>
    place % 2 === 1 ? <When key={`${place} ${part}`} at={part} /> : part !== "" && <span key={`${place} ${part}`}>{part}</span>,
  );
}

function clockOf(text: string): string {
  return text.split(" ")[1] ?? text;
}

/** The day of a time on the console's clock: "2026-11-26". @param at ISO 8601 */
export function dayOf(at: string): string {
  return timeText(at).split(" ")[0] ?? "";
}

const CALLED = /\+\d{7,15}\*?/g;

/** A number, or a sentence with numbers in it, with the usual spaces: "+233 20 000 0142". */
export function Numbers({ text }: { readonly text: string }) {
  return text.replaceAll(CALLED, usePhoneText());
}

/** An id that nobody reads: a press copies it. @param what names it: "customer id" */
export function CopyKey({ of, what }: { readonly of: string; readonly what: string }) {
  return (
    <button
      type="button"
      className={styles.copy}
      aria-label={`Copy the ${what}`}
      title={`Copy the ${what}`}
      onClick={() => void copy(of, what)}
    >
      <Icon of={IconCopy} />
    </button>
  );
}

/** A payment where its ids are all that is known of it. @param reference at the provider */
export function PaymentKey({ payment, reference }: { readonly payment: string | null; readonly reference: string | null }) {
  const id = payment ?? reference;
  return (
    <>
      <span>{payment === null ? "at the provider" : "payment"}</span>
      {id !== null && <CopyKey of={id} what={payment === null ? "reference at the provider" : "payment id"} />}
    </>
  );
}

interface SaveKeyProps {
  readonly size?: "sm";
  /** Reads the file from the service. */
  readonly read: () => Promise<{ readonly name: string; readonly content: string | Blob }>;
}

/** A press saves a CSV file of the service. */
export function SaveKey({ size, read }: SaveKeyProps) {
  const save = useMutation({
    mutationFn: read,
    onSuccess: ({ name, content }) => saveFile(name, content, "text/csv;charset=utf-8"),
    onError: (error) => toast.error(messageOf(error, "The file could not be made")),
  });
  return (
    <Button size={size} busy={save.isPending} onClick={() => save.mutate()}>
      Download as CSV
    </Button>
  );
}

async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.success(`Copied the ${what}.`);
  } catch {
    toast.error(`This browser does not allow copying. The ${what} is ${text}`);
  }
}
