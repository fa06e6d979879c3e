import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

/** Everything that a running assistant may load: no tests, no benchmarks. */
export const sourceFiles: readonly string[] = globSync(
  ['main.ts', '{agent,bots,memory,knowledge,tools,models,store,ops,console,simulator,triage,commands}/**/*.ts'],
  { cwd: projectFolder, exclude: ['console/page/**'] },
).sort();

export interface Import {
  readonly file: string;
  readonly specifier: string;
  /** Erased before the code runs. */
  readonly typeOnly: boolean;
}

const STATIC = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s*)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]/g;
const CREATED = /createRequire\([^)]*\)\(\s*['"]([^'"]+)['"]|\brequire\(\s*['"]([^'"]+)['"]/g;

export const importsOf = (file: string): readonly Import[] => {
  const text = readFileSync(join(projectFolder, file), 'utf8');
  return [
    ...[...text.matchAll(STATIC)].map(([, type, specifier = '']) => ({ file, specifier, typeOnly: type !== undefined })),
    ...[...text.matchAll(DYNAMIC)].map(([, specifier = '']) => ({ file, specifier, typeOnly: false })),
    ...[...text.matchAll(CREATED)].map(([, first, second]) => ({ file, specifier: first ?? second ?? '', typeOnly: false })),
  ];
};

export const isRelative = (specifier: string): boolean => specifier.startsWith('.');
export const resolveImport = ({ file, specifier }: Import): string => join(dirname(file), specifier);

/** `@scope/name` or `name`, without what follows. */
export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
