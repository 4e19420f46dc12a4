/**
 * For tests: simulates a browser's page translation. Each text node is replaced by `<font><font>…</font></font>`, at once and
 * whenever a text appears or changes. Call it before the page is rendered. Returns the stop function.
 */
export function translatePage(): () => void {
  const observer = new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes)
      for (const node of type === "childList" ? addedNodes : [target]) translate(node);
  });
  observer.observe(document.documentElement, { subtree: true, childList: true, characterData: true });
  translate(document.body);
  return () => observer.disconnect();
}

/** Elements whose text is not shown. */
const UNTRANSLATED = new Set(["SCRIPT", "STYLE", "TITLE", "TEXTAREA", "OPTION", "FONT", "svg"]);

function translate(node: Node): void {
  if (!node.isConnected) return;
  if (node.nodeType === Node.TEXT_NODE) return replace(node as Text);
  if (node.nodeType !== Node.ELEMENT_NODE || UNTRANSLATED.has((node as Element).tagName)) return;
  for (const child of [...node.childNodes]) translate(child);
}

function replace(text: Text): void {
  const parent = text.parentElement;
  if (parent === null || UNTRANSLATED.has(parent.tagName) || text.data.trim() === "") return;
  const inner = document.createElement("font");
  inner.textContent = text.data;
  const outer = document.createElement("font");
  outer.append(inner);
  parent.replaceChild(outer, text);
}
