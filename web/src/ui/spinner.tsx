import "./spinner.css";
/** A turning ring; a word beside it says what is waited for. */
export function Spinner({ large = false }: { readonly large?: boolean }) {
  return <span className={large ? "spin spin--lg" : "spin"} aria-hidden="true" />;
}
