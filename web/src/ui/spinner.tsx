import "./spinner.css";
/** A spinning ring. Adjacent text says what is in progress. */
export function Spinner({ large = false }: { readonly large?: boolean }) {
  return <span className={large ? "spin spin--lg" : "spin"} aria-hidden="true" />;
}
