import { exampleOf, listSettings, type Setting } from './config-tree.ts';

const defaultOf = ({ meta, defaultValue }: Setting): string => {
  if (meta.defaultText !== undefined) return meta.defaultText;
  return defaultValue === undefined ? 'not set' : `\`${JSON.stringify(defaultValue)}\``;
};

const variablesOf = ({ meta }: Setting): string => meta.env.map((name) => `\`${name}\``).join(', ') || 'none';

const describeSetting = (setting: Setting): string =>
  [
    `### ${setting.key}`,
    '',
    setting.meta.does,
    '',
    `- Expected: ${setting.meta.expected}`,
    `- Default: ${defaultOf(setting)}`,
    `- Variable: ${variablesOf(setting)}${setting.meta.secret ? ' (or the same with `_FILE`: a file that holds it)' : ''}`,
    `- Example: \`${exampleOf(setting)}\``,
  ].join('\n');

/** docs/configuration.md, made from the schema. */
export const renderConfigReference = (): string => {
  const settings = listSettings();
  const sections = [...new Set(settings.map(({ path: [section = ''] }) => section))];
  const parts = sections.map((name) =>
    [`## ${name}`, ...settings.filter(({ path }) => path[0] === name).map(describeSetting)].join('\n\n'),
  );
  return `${[
    '# Configuration',
    'Made from the schema by `./threadwise check --fix`; do not edit it by hand.',
    [
      'Every setting has a key in `threadwise.yaml` and, most of them, a variable. Variables win over the file. The file is',
      'looked for in the folder where the assistant starts; `THREADWISE_CONFIG` names another one. Nothing is required. Unknown',
      'keys, half-configured channels and bad values stop the start (exit code 78) with one line each. Lists in variables are',
      'separated by commas.',
    ].join('\n'),
    ...parts,
  ].join('\n\n')}\n`;
};
