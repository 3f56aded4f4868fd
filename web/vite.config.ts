import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// build.ts names the entries. Names of assets carry the hash of their content.
export default defineConfig({
  plugins: [svelte(), { name: 'plain-import', renderChunk: (code) => (code.includes('__import__(') ? { code: code.replaceAll('__import__(', 'import('), map: null } : null) }],
  logLevel: 'warn',
  base: '/',
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
  },
});
