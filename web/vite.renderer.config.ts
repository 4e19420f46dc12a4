import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { buildTargets } from "./src/browser/browser-floor.ts";
import { flagsFolder } from "./build/images.ts";
import { packFiles, pageAssets } from "./build/renderer-build.ts";
import { styleModules } from "./build/styles.ts";

const browserBuild = join(import.meta.dirname, "dist");
const rendererBuild = join(import.meta.dirname, "renderer/dist");

/** The renderer of the public pages, which the service loads: one file with everything in it. Built after the browser's files. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), pageAssets(browserBuild), packFiles(browserBuild, rendererBuild)],
  css: { modules: styleModules },
  define: { __FLAGS_FOLDER__: JSON.stringify(flagsFolder), "process.env.NODE_ENV": JSON.stringify("production") },
  publicDir: false,
  ssr: { noExternal: true },
  build: {
    ssr: "src/public/server-entry.tsx",
    outDir: rendererBuild,
    target: "node24",
    cssTarget: buildTargets,
    assetsInlineLimit: 0,
    ssrEmitAssets: true,
    // The browser loads texts when it needs them; here all are in the one file.
    rolldownOptions: { checks: { ineffectiveDynamicImport: false } },
    reportCompressedSize: false,
  },
});
