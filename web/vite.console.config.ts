import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { styleModules } from "./build/style-modules.ts";

/**
 * The operators' console: a build of its own, so that no chunk of the callers' app depends on it. Built after the app's files, into
 * the same folder.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  publicDir: false,
  css: { modules: styleModules },
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: false,
    assetsDir: "assets/operator",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { input: ["operator.html"] },
  },
});
