import { classNames } from "../class-names.ts";
import * as styles from "./spinner.module.css";
/** A spinning ring. Adjacent text says what is in progress. */
export function Spinner({ large = false }: { readonly large?: boolean }) {
  return <span className={large ? classNames(styles.spin, styles.lg) : styles.spin} aria-hidden="true" />;
}
