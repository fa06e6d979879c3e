import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLogger } from '../../ops/log.ts';
import { Secret } from '../../ops/secret.ts';
import { createFakeClock } from '../fake-clock.ts';
import { scaled, seed } from '../scale.ts';

const secretText = fc
  .string({ minLength: 12, maxLength: 40, unit: fc.constantFrom(...'abcXYZ019+/=-_."\\&%#@ \n') })
  .filter((text) => new Set(text).size > 4);

test('no known secret survives in a log line, whatever stands round it and in whichever form', () => {
  fc.assert(
    fc.property(secretText, fc.string(), fc.string(), fc.constantFrom('json', 'pretty'), (secret, before, after, format) => {
      let text = '';
      const logger = createLogger({
        level: 'info',
        format: format === 'json' ? 'json' : 'pretty',
        secrets: [new Secret(secret)],
        clock: createFakeClock(),
        write: (line) => {
          text += line;
        },
      });
      const around = `${before}${secret}${after}`;
      logger.info('event', { around, json: JSON.stringify({ around }), error: new Error(around), nested: [{ around }] });
      assert.equal(text.split('\n').length, 2);
      for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
        assert.ok(!text.includes(form));
      if (format === 'json') JSON.parse(text);
    }),
    { numRuns: scaled(5_000), seed },
  );
});
