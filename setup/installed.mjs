/**
 * Tells whether node_modules holds what package-lock.json names: prints `all`, `production` (development packages are
 * missing) or nothing. npm keeps its own record in node_modules; comparing it spares a developer who just ran `npm install`
 * a second installation. Plain JavaScript: any Node that runs npm runs this.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const home = process.argv[2] ?? '.';
const readPackages = (file) => JSON.parse(readFileSync(join(home, file), 'utf8')).packages;

const installed = () => {
  const wanted = readPackages('package-lock.json');
  const found = readPackages('node_modules/.package-lock.json');
  let level = 'all';
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue;
    const there = found[path];
    if (there !== undefined) {
      if (there.version !== entry.version || there.integrity !== entry.integrity || !existsSync(join(home, path))) return '';
    } else if (entry.optional !== true && entry.devOptional !== true) {
      if (entry.dev !== true) return '';
      level = 'production';
    }
  }
  return Object.keys(found).every((path) => path in wanted) ? level : '';
};

try {
  process.stdout.write(installed());
} catch {
  // No record, or half of one: not installed.
}
