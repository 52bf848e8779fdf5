// How the console is bundled: hashed files under /console/assets/, nothing inlined, so that the strict CSP holds.
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/console/",
  plugins: [react(), tailwind()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // Small files as data: URLs would need `img-src data:`.
    assetsInlineLimit: 0,
    // The first versions with light-dark(), which styles.css leans on.
    target: ["chrome123", "firefox121", "safari17.5"],
    // All of them preload modules by themselves.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: {
      output: {
        // What the shell needs is one file, and so is what most pages need: a file for each part that two pages share
        // was 60 requests for a page, six at a time.
        codeSplitting: {
          groups: [
            { name: "shell", tags: ["$initial"], priority: 1 },
            { name: "parts", minShareCount: 8 },
          ],
        },
        // Fonts keep their names: the pages of the server name them too, in public/pages.css.
        assetFileNames: ({ names: [name = ""] }) =>
          name.endsWith(".woff2") ? "assets/[name][extname]" : "assets/[name]-[hash][extname]",
      },
    },
  },
});
