import { createContext, useContext } from "react";
import { createPortal } from "react-dom";
import * as styles from "./shell.module.css";
import { chooseZone, ownZone, usePageTitle, UTC, useZone } from "./texts.ts";

/** Where the page's title stands: in the bar above it. */
export const TitlePlace = createContext<HTMLElement | null>(null);

/** The page's heading, in the bar at the top, and the document's title. */
export function PageTitle({ title }: { readonly title: string }) {
  usePageTitle(title);
  const place = useContext(TitlePlace);
  return place === null ? null : createPortal(<h1 className={styles.title}>{title}</h1>, place);
}

/** In which zone the console writes times: UTC, or this machine's. Nothing where they are the same. */
export function ZoneSwitch() {
  const zone = useZone();
  const own = ownZone();
  if (own === UTC || own === `Etc/${UTC}`) return null;
  return (
    <div className={styles.zone} role="group" aria-label="Time zone">
      {[UTC, own].map((one) => (
        <button key={one} type="button" aria-pressed={zone === one} title={one} onClick={() => chooseZone(one === own)}>
          {one.slice(one.lastIndexOf("/") + 1).replaceAll("_", " ")}
        </button>
      ))}
    </div>
  );
}
