import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looksLikeArithmetic } from '../../agent/arithmetic.ts';
import { cpuMsOf, createRandom, randomText } from '../../bench/calculator/fuzz.ts';
import { calculate } from '../../tools/calculator.ts';
import { scaled, seed } from '../scale.ts';

const LIMIT_MS = 50;
const COUNT = scaled(100_000);

test(`of ${COUNT} texts at random (seed ${seed}) none takes 50 ms of computing, and all end in a finite number, a date or a reason`, () => {
  const random = createRandom(seed);
  for (let i = 0; i < COUNT; i += 1) {
    const text = randomText(random);
    const ms = cpuMsOf(() => {
      looksLikeArithmetic(text);
      const result = calculate(text, 0);
      if (result.ok) assert.match(result.value, /^-?\d+(?:\.\d+)?(?:e[+-]\d+)?$|^\d{4}-\d{2}-\d{2}$/u, JSON.stringify(text));
      else assert.match(result.reason, /^\S.*\S$/su, JSON.stringify(text));
    });
    assert.ok(ms < LIMIT_MS, `${JSON.stringify(text)}: ${ms} ms`);
  }
});
