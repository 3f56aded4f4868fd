// Verifies webhooks with the package `standardwebhooks`. Standard input: an array of {secret, body, headers}; output: for
// each true, or why it is refused.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { Webhook } = createRequire(new URL('../../web/package.json', import.meta.url))('standardwebhooks');

const results = JSON.parse(readFileSync(0, 'utf8')).map(({ secret, body, headers }) => {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch (error) {
    return String(error.message);
  }
});
console.log(JSON.stringify(results));
