import { type Attributes, type ComponentType, createElement, lazy, useEffect, useState } from "react";
import { deviceStamp, isRecent } from "../time/clock.ts";
import { readTab, writeTab } from "../browser/storage.ts";
import { isCallLive } from "./session.ts";

const KEY = "reloaded-for-part";
/** A part missing again this soon after a reload is not missing because of a deployment. */
const ONCE_IN_MS = 60_000;
const ANSWERS_WITHIN_MS = 5_000;

/**
 * Loads a part of the app. After a deployment the files of this page's release may be gone: the page is then reloaded, once, but
 * never during a call. @throws what `load` throws, where a reload would not help or would cut off a call
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (isCallLive() || !(await isReplaced()) || !mayReload()) throw error;
    window.location.reload();
    return new Promise<T>(() => undefined);
  }
}

/**
 * Whether the service has another release than this page's. Without one, a reload would not help, and could cancel the next page:
 * Firefox and WebKit cancel what is still loading as soon as the user goes on.
 */
async function isReplaced(): Promise<boolean> {
  const own = document.querySelector("script[type=module]")?.getAttribute("src");
  try {
    const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    const answer = await fetch(window.location.href, { headers: { Accept: "text/html" }, cache: "no-store", signal });
    return answer.ok && !(await answer.text()).includes(String(own));
  } catch {
    return false;
  }
}

type OptionalPart<P> = ComponentType<P> & {
  /** Loads the part in advance, so that it renders at once. Where that fails, it is loaded again when it is shown. */
  open(): Promise<void>;
};

/** A part that the page works without: `Instead` takes its place if it cannot be loaded, and the next time it is shown it is loaded again. */
export function optionalPart<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  Instead: ComponentType<P> = Nothing,
): OptionalPart<P> {
  function Failed(props: P & Attributes) {
    // Not before this is on screen: React would load again and again instead of showing it.
    useEffect(() => void (Part = later()), []);
    return createElement(Instead, props);
  }
  const later = () => lazy(() => loadPart(load).catch(() => ({ default: Failed })));
  let Part: ComponentType<P> = later();
  function Shown(props: P & Attributes) {
    // Decided once: rendering another component here would lose the part's state.
    const [Decided] = useState(() => Part);
    return createElement(Decided, props);
  }
  const open = () =>
    load().then(
      ({ default: opened }) => void (Part = opened),
      () => undefined,
    );
  return Object.assign(Shown, { open });
}

function Nothing(): null {
  return null;
}

const retries = new Set<() => void>();

/** Stores the retry of a failed part. Before the failure is on screen, React would reload forever instead of showing it. */
export function retryOnceShown(retry: () => void): void {
  retries.add(retry);
}

/** The failure is on screen: the next visit may load what failed. */
export function failureShown(): void {
  for (const retry of retries) retry();
  retries.clear();
}

/** False without storage, which could not stop a second reload. */
function mayReload(): boolean {
  return !isRecent(Number(readTab(KEY) ?? 0), ONCE_IN_MS) && writeTab(KEY, String(deviceStamp()));
}
