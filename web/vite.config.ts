import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

// The minifier adds variables for light-dark(), which no page uses, to each colour scheme.
const withoutUnused: Plugin = {
  name: 'without-unused-variables',
  enforce: 'post',
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type === 'asset' && file.fileName.endsWith('.css')) file.source = String(file.source).replace(/--lightningcss-(light|dark):[^;}]*;?/g, '');
    }
  },
};

// build.ts names the entries. Names of assets carry the hash of their content.
export default defineConfig({
  plugins: [svelte(), withoutUnused, { name: 'plain-import', renderChunk: (code) => (code.includes('__import__(') ? { code: code.replaceAll('__import__(', 'import('), map: null } : null) }],
  logLevel: 'warn',
  base: '/',
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
  },
});
