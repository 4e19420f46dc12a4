import { readdirSync } from "node:fs";
import { join } from "node:path";
import { files } from "virtual:page-assets";
import icon from "../assets/mark-yellow.svg";
import type { PageAssets } from "./document.tsx";

/** The renderer build's bundled stylesheets; in development Vite serves each one. */
const styles = import.meta.env.DEV
  ? []
  : readdirSync(join(import.meta.dirname, "assets"))
      .filter((name) => name.endsWith(".css"))
      .map((name) => `/assets/${name}`);

/** The files that every public page refers to. */
export const pageAssets: PageAssets = { ...files, styles, icon };
